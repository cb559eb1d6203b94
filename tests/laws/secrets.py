#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A server on loopback that repeats what it is asked, and a search for secrets.

	secrets.py serve FOLDER ADDRESS

Serves the files of FOLDER at any path that ends in their names, by HTTP, as
WebHDFS and as S3, and writes "127.0.0.1:PORT" to ADDRESS once it listens.  Names
of files that are not there choose the form in which an answer repeats the
request with all of its headers, as it came and decoded:

	none.text	a line of text
	none.html	a page's title
	none.json	RemoteException of WebHDFS
	none.xml	an error of S3
	none.page	a page in place of the file
	none.moved	a redirect to where nobody listens, with secrets of its own

	secrets.py search FILE...

Prints where a secret of these stands: as text, in base64, or in what is packed.
"""
import base64
import gzip
import html
import http.server
import json
import os
import re
import subprocess
import sys
import urllib.parse
import xml.sax.saxutils
import zlib

PLANTED = re.compile(rb"S3CR[a-z]*")


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def answer(self, status, kind, body, **more):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, value in more.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def echo(self):
        said = [self.path, urllib.parse.unquote_plus(self.path)]
        for name, value in self.headers.items():
            said.append("%s: %s" % (name, value))
            if value.startswith("Basic "):
                said.append(base64.b64decode(value[6:]).decode())
        query = urllib.parse.urlsplit(self.path).query
        said += urllib.parse.parse_qs(query).get("token", [])
        return "refused " + ", ".join(said)

    def refuse(self, name):
        text = self.echo()
        if name.endswith(".json"):
            self.answer(403, "application/json", json.dumps({
                "RemoteException": {"exception": "E",
                                    "message": text}}).encode())
        elif name.endswith(".xml"):
            self.answer(403, "text/xml", (
                "<Error><Code>E</Code><Message>%s</Message></Error>" %
                xml.sax.saxutils.escape(text)).encode())
        elif name.endswith(".text"):
            self.answer(403, "text/plain", text.encode())
        elif name.endswith(".moved"):
            self.answer(307, "text/html", b"", Location="http://"
                        "S3CRuser:S3CRpass@127.0.0.1:1/x?token=S3CRquery")
        else:
            self.answer(403 if name.endswith(".html") else 200, "text/html", (
                "<html><title>%s</title>" % html.escape(text)).encode())

    def do_GET(self):
        url = urllib.parse.urlsplit(self.path)
        query = urllib.parse.parse_qs(url.query)
        name = os.path.basename(url.path)
        path = os.path.join(root, name)
        if query.get("op") == ["LISTSTATUS"]:
            entries = [{"pathSuffix": it, "type": "FILE",
                        "length": os.stat(os.path.join(root, it)).st_size,
                        "modificationTime": 1} for it in sorted(
                            os.listdir(root))]
            self.answer(200, "application/json", json.dumps({
                "FileStatuses": {"FileStatus": entries}}).encode())
        elif os.path.isfile(path):
            with open(path, "rb") as file:
                self.answer(200, "application/octet-stream", file.read())
        else:
            self.refuse(name)


def unpacked(data):
    """What is in the data, also below gzip, zstd, base64 and raw deflate."""
    yield data
    if data[:2] == b"\x1f\x8b":
        yield from unpacked(gzip.decompress(data))
    if data[:4] == b"\x28\xb5\x2f\xfd":
        yield from unpacked(subprocess.run(
            ["zstd", "-dc"], input=data, capture_output=True,
            check=True).stdout)
    for text in re.findall(rb"[A-Za-z0-9+/_-]{12,}={0,2}", data):
        text = text.rstrip(b"=").translate(bytes.maketrans(b"-_", b"+/"))
        # A word before it may be of the same letters.
        for skip in range(4 if len(text) < 1000 else 1):
            part = text[skip:]
            part = part[:len(part) - (len(part) % 4 == 1)]
            decoded = base64.b64decode(part + b"=" * (-len(part) % 4))
            yield decoded
            try:
                yield zlib.decompressobj(-15).decompress(decoded)
            except zlib.error:
                pass


def search(paths):
    for path in paths:
        with open(path, "rb") as file:
            data = file.read()
        found = {it for part in (path.encode(), *unpacked(data))
                 for it in PLANTED.findall(urllib.parse.unquote_to_bytes(part))}
        if found:
            print(path, *sorted(it.decode() for it in found))


if sys.argv[1] == "search":
    search(sys.argv[2:])
else:
    root, address = sys.argv[2:4]
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.handle_error = lambda *_: None
    with open(address + ".new", "w") as out:
        out.write("127.0.0.1:%d" % server.server_port)
    os.rename(address + ".new", address)
    server.serve_forever()
