#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A server on loopback that plays WebHDFS and a plain server of files.

	webhdfs.py FOLDER ADDRESS LOG [ACTIVE]

Serves what is in FOLDER, writes "127.0.0.1:PORT" to ADDRESS once it listens,
and a line for each request to LOG.  ACTIVE: a file with the address of the NameNode
that is active, as of an HA pair.  Names below FOLDER choose what goes wrong:

	/webhdfs/v1/PATH	NameNode: listings, redirects to /datanode/PATH
	/datanode/PATH		bytes from the parameter offset on
	/files/PATH		a plain file, with ranges and an ETag
	/whole/PATH		a plain file from a server without ranges
	/api/v1/applications/APP/logs	a zip of FOLDER/APP, as of Spark's
				History Server

	drop*		each answer ends 100000 bytes before it should
	gone*		so does each, having given no byte
	slow*		stops after 1000 bytes and stays open
	drip*		sends a byte now and then
	mute*		says nothing at all and stays open
	header*		has a header of 2 MB
	lines*		has a header of lines that come one by one, without end
	endless*	a folder in which each folder has one of that name
	within*		a folder that has a folder without a name
	standby*	RemoteException of a NameNode that is not active
	login*		an HTML page instead of the file
	busy*		503 the first time
	changed*	drops, and has another ETag each time
	shrunk*		drops, and has 50000 bytes then
	secret*		is for those who bring the token T
	kerberos*	wants to negotiate
	start*		RetriableException the first two times
	flip*		its NameNode is standby once it has named a DataNode
	lost*		a DataNode that is not there, unless it is excluded
	nohost*		so is one whose host has no address
"""
import http.server
import io
import json
import os
import sys
import threading
import time
import urllib.parse
import zipfile

root, address, log = sys.argv[1:4]
active = sys.argv[4] if len(sys.argv) > 4 else None
lock = threading.Lock()
seen = {}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, kind, body, **more):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, value in more.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def exception(self, status, name, message):
        self.answer(status, "application/json", json.dumps({
            "RemoteException": {
                "exception": name,
                "javaClassName": "org.apache.hadoop." + name,
                "message": message + "\n\tat org.apache.hadoop.X",
            }}).encode())

    def do_GET(self):
        url = urllib.parse.urlsplit(self.path)
        query = dict(urllib.parse.parse_qsl(url.query))
        _, place, rest = (urllib.parse.unquote(url.path) + "/").split("/", 2)
        rest = rest.rstrip("/")
        with lock:
            with open(log, "a") as out:
                print(place, rest, self.headers.get("Range", "-"),
                      " ".join("=".join(it) for it in sorted(query.items())),
                      file=out)
        if place == "webhdfs":
            self.namenode(rest[len("v1/"):], query)
        elif place == "datanode":
            if self.is_standby(query.get("namenode")):
                self.standby()
            else:
                self.send_file(rest, int(query.get("offset", 0)))
        elif place == "files":
            self.send_file(rest, int(self.headers.get("Range", "bytes=0-")
                                [len("bytes="):-1]), True)
        elif place == "whole":
            self.send_file(rest, 0)
        elif place == "api" and rest.endswith("/logs"):
            self.zip(rest.split("/")[-2])
        elif place == "loop":
            self.answer(302, "text/html", b"", Location=self.path)
        else:
            self.answer(404, "text/html", b"<html><title>Not here</title>")

    def zip(self, app):
        body = io.BytesIO()
        with zipfile.ZipFile(body, "w", zipfile.ZIP_DEFLATED) as out:
            for folder, _, names in os.walk(os.path.join(root, app)):
                for name in sorted(names):
                    path = os.path.join(folder, name)
                    out.write(path, os.path.relpath(path, root))
        self.answer(200, "application/octet-stream", body.getvalue())

    def is_standby(self, me):
        if not active:
            return False
        with open(active) as file:
            return me not in file.read().split()

    def standby(self):
        self.exception(403, "StandbyException",
                       "Operation category READ is not supported in "
                       "state standby. Visit https://s.apache.org/x")

    def namenode(self, path, query):
        file = os.path.join(root, path)
        name = os.path.basename(path)
        me = "127.0.0.1:%d" % server.server_port
        with lock:
            times = seen["name " + path] = seen.get("name " + path, 0) + 1
        if name.startswith("standby") or self.is_standby(me):
            self.standby()
        elif name.startswith("start") and times <= 2:
            self.exception(403, "RetriableException",
                           "SafeModeException: Zero blocklocations for /" +
                           path + ". Name node is in safe mode.")
        elif name.startswith("kerberos"):
            self.answer(401, "text/html", b"", WWW_Authenticate="Negotiate")
        elif name.startswith("secret") and query.get("delegation") != "T":
            self.exception(401, "SecurityException", "no token")
        elif "endless" in path or name.startswith("within"):
            self.answer(200, "application/json", json.dumps({
                "FileStatuses": {"FileStatus": [{
                    "pathSuffix": "endless" if "endless" in path else "",
                    "type": "DIRECTORY", "length": 0,
                    "modificationTime": 1}]}}).encode())
        elif not os.path.exists(file):
            self.exception(404, "FileNotFoundException",
                           "File /%s does not exist." % path)
        elif query["op"] == "LISTSTATUS":
            self.list(file)
        elif os.path.isdir(file):
            self.exception(403, "FileNotFoundException",
                           "Path is not a file: /" + path)
        else:
            query["op"] = "OPEN"
            query["namenode"] = me
            host = self.headers["Host"]
            if name.startswith("lost") and "excludedatanodes" not in query:
                host = "127.0.0.1:1"
            if name.startswith("nohost") and "excludedatanodes" not in query:
                host = "datanode.invalid:9864"
            if name.startswith("flip") and times == 1:
                with open(active + ".next") as new, open(active, "w") as out:
                    out.write(new.read())
            self.answer(307, "text/html", b"<html>moved", Location="http://%s/"
                        "datanode/%s?%s" % (host, urllib.parse.quote(path),
                                            urllib.parse.urlencode(query)))

    def list(self, file):
        names = sorted(os.listdir(file)) if os.path.isdir(file) else [""]
        entries = []
        for name in names:
            it = os.stat(os.path.join(file, name) if name else file)
            folder = name and os.path.isdir(os.path.join(file, name))
            entries.append({
                "pathSuffix": name, "type": "DIRECTORY" if folder else "FILE",
                "length": 0 if folder else it.st_size,
                "modificationTime": int(it.st_mtime * 1000), "owner": "me"})
        self.answer(200, "application/json", json.dumps({
            "FileStatuses": {"FileStatus": entries}}, indent=0).encode())

    def drip(self, text=b"x"):
        time.sleep(0.3)
        try:
            self.wfile.write(text)
            self.wfile.flush()
        except OSError:
            self.close_connection = True
        return not self.close_connection

    def send_file(self, path, offset, ranges=False):
        name = os.path.basename(path)
        try:
            with open(os.path.join(root, path), "rb") as file:
                body = file.read()
        except OSError:
            self.answer(404, "text/plain", b"nothing of that name\nat all")
            return
        with lock:
            seen[path] = seen.get(path, 0) + 1
            times = seen[path]
        if name.startswith("mute"):
            time.sleep(20)
            self.close_connection = True
            return
        if name.startswith("header"):
            self.answer(200, "text/plain", body, X_Long="x" * 2000000)
            return
        if name.startswith("lines"):
            self.wfile.write(b"HTTP/1.1 200 OK\r\n")
            while self.drip(b"X-More: ........................\r\n"):
                pass
            return
        if name.startswith("login"):
            self.answer(200, "text/html; charset=utf-8",
                        b"<html><head><title>Please log in</title>")
            return
        if name.startswith("busy") and times == 1:
            self.answer(503, "text/plain", b"come back later")
            return
        if name.startswith("shrunk") and times > 1:
            body = body[:50000]
        if ranges and offset >= len(body) > 0:
            self.answer(416, "text/plain", b"",
                        Content_Range="bytes */%d" % len(body))
            return
        self.send_response(206 if ranges and offset else 200)
        self.send_header("Content-Type", "application/octet-stream")
        self.send_header("Content-Length", str(len(body) - offset))
        if ranges:
            self.send_header("ETag", '"%s"' % (
                times if name.startswith("changed") else 1))
        self.end_headers()
        body = body[offset:]
        cut = (name.startswith(("drop", "changed", "shrunk")) and
               len(body) > 100000)
        if name.startswith("gone"):
            body = b""
        elif name.startswith(("slow", "drip")):
            body = body[:1000]
        elif cut:
            body = body[:100000]
        self.wfile.write(body)
        self.wfile.flush()
        if name.startswith("slow"):
            time.sleep(20)
        while name.startswith("drip") and self.drip():
            pass
        if cut or name.startswith(("gone", "slow")):
            self.close_connection = True


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
server.handle_error = lambda *_: None  # clients that leave
with open(address + ".new", "w") as out:
    out.write("127.0.0.1:%d" % server.server_port)
os.rename(address + ".new", address)
server.serve_forever()
