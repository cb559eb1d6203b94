#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A server of OTLP/HTTP on loopback.

	sent.py FOLDER ADDRESS

Writes "127.0.0.1:PORT" to ADDRESS once it listens.  Each message that comes is
FOLDER/N.otlp, unpacked, and its request line and headers are FOLDER/N.head.
The last part of the path says how it is answered:

	profiles	all accepted
	some, remark	partial success: 3 profiles rejected, none rejected
	busy		429 with Retry-After: 1, then 200
	shut		503 with Retry-After: 3600
	down		502 always
	status		400 with google.rpc.Status
	echo		403 with all headers as text, as they came and decoded
	page		a page with status 200
	moved		a redirect to "profiles"
	silent		nothing comes, until the client has gone
	drip		a byte of the header now and then
"""
import base64
import gzip
import http.server
import itertools
import os
import sys
import threading
import urllib.parse

folder, address = sys.argv[1:]
numbers = itertools.count(1)
asked = set()


def varint(number):
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def text(number, value):
    value = value if isinstance(value, bytes) else value.encode()
    return bytes([number << 3 | 2]) + varint(len(value)) + value


def number(field, value):
    return bytes([field << 3]) + varint(value)


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def answer(self, status, body=b"", kind="application/x-protobuf", **more):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, value in more.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def keep(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        name = os.path.join(folder, str(next(numbers)))
        with open(name + ".head", "w", encoding="utf-8") as out:
            out.write("%s\n%s" % (self.requestline, self.headers))
        with open(name + ".new", "wb") as out:
            out.write(gzip.decompress(body))
        os.rename(name + ".new", name + ".otlp")

    def do_POST(self):
        self.keep()
        how = urllib.parse.urlsplit(self.path).path.rsplit("/", 1)[1]
        if how == "profiles":
            self.answer(200)
        elif how == "some":
            self.answer(200, text(1, number(1, 3) + text(2, "too old\nby far")))
        elif how == "remark":
            self.answer(200, text(1, text(2, "use 1.11")))
        elif how == "busy":
            first = self.path not in asked
            asked.add(self.path)
            self.answer(*((429,) if first else (200,)), Retry_After="1")
        elif how == "shut":
            self.answer(503, text(2, "later"), Retry_After="3600")
        elif how == "down":
            self.answer(502, b"<html><title>Bad gateway</title>", "text/html")
        elif how == "status":
            self.answer(400, number(1, 3) + text(2, "no service.name"))
        elif how == "echo":
            said = [self.path, urllib.parse.unquote(self.path)]
            for name, value in self.headers.items():
                said.append("%s: %s" % (name, value))
                if value.startswith("Basic "):
                    said.append(base64.b64decode(value[6:]).decode())
            self.answer(403, "; ".join(said).encode(), "text/plain")
        elif how == "page":
            self.answer(200, b"<html><title>Log in</title>", "text/html")
        elif how == "moved":
            self.answer(307, Location="http://%s/profiles" %
                        self.headers["Host"])
        elif how == "silent":
            self.rfile.read(1)
        elif how == "drip":
            try:
                self.wfile.write(b"HTTP/1.1 200 OK\r\nX: ")
                while True:
                    self.wfile.write(b"x")
                    gone.wait(0.2)
            except OSError:
                pass
        else:
            self.answer(404, b"no such path", "text/plain")


gone = threading.Event()	# never set: waits
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
server.handle_error = lambda *_: None
with open(address + ".new", "w", encoding="utf-8") as out:
    out.write("127.0.0.1:%d" % server.server_port)
os.rename(address + ".new", address)
server.serve_forever()
