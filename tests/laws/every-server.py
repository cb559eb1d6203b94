# SPDX-License-Identifier: Apache-2.0
# A server of thread dumps as Spark's UI has them: each request gets the next
# one.  What it serves, in order, is its arguments: a number is the line of the
# frame, "fail" is 404, "slow" comes after 0.7 s, "cut" ends in the middle.
# After the last it serves the last again.  Writes its port, then a line a
# request.
import http.server
import json
import sys
import time

turns = sys.argv[1:]


class Dumps(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        global turns
        turn = turns[0]
        turns = turns[1:] or turns
        if turn == 'fail':
            self.send_error(404)
        else:
            if turn == 'slow':
                time.sleep(0.7)
            body = json.dumps([{
                'threadId': 1, 'threadName': 'main',
                'threadState': 'RUNNABLE',
                'stackTrace': {'elems': ['a.B.m%s(B.scala:3)\n' % turn,
                                         'a.B.main(B.scala:1)\n']},
            }]).encode()
            self.send_response(200)
            self.send_header('Content-Type', 'application/json')
            self.send_header('Content-Length', str(len(body)))
            self.end_headers()
            self.wfile.write(body[:len(body) // 2] if turn == 'cut' else body)
        print(turn, flush=True)

    def log_message(self, *rest):
        pass


server = http.server.HTTPServer(('127.0.0.1', 0), Dumps)
print(server.server_port, flush=True)
server.serve_forever()
