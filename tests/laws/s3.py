#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A server on loopback that plays S3, with signatures that are checked.

	s3.py FOLDER ADDRESS LOG

Serves the files of FOLDER as keys of the bucket "prof", 3 keys a page, writes
"127.0.0.1:PORT" to ADDRESS once it listens, and a line for each request to LOG.
It knows the access key AKID with the secret "wJalr/+=secret", in eu-west-1.

	prof		for those who sign; also keys that no file can have
	public		the same for all
	token		for those with the session token "t/+="
	far		is in eu-north-1
	moved		is in eu-north-1, and says so by another error
	many		10,000 keys below _temporary/, one beside them
	loop		sends the same page for ever
	cut, page, other, nested, entity	listings that are none

	drop*		each answer ends 100000 bytes before it should
	busy*		500 the first time
"""
import hashlib
import hmac
import http.server
import os
import re
import sys
import threading
import urllib.parse
import xml.sax.saxutils

root, address, log = sys.argv[1:4]
lock = threading.Lock()
seen = {}
SECRET = "wJalr/+=secret"
NONE = hashlib.sha256(b"").hexdigest()

keys = {}
for folder, _, files in os.walk(root):
    for name in files:
        path = os.path.join(folder, name)
        with open(path, "rb") as file:
            keys[os.path.relpath(path, root)] = file.read()
keys.update({
    "odd//empty name/x.folded": b"main;empty 1\n",
    "odd/../x/./dots.folded": b"main;dots 1\n",
    "odd/new\nline.folded": b"main;line 2\n",
    "odd/d/": b"",
    "odd/e_$folder$": b"",
    "odd/_SUCCESS": b"none",
    "odd/_temporary/0/part.folded": b"none",
})
order = sorted(keys, key=str.encode)
many = ["_temporary/%06d" % i for i in range(10000)] + ["only.folded"]


def sign(method, path, query, headers, names, scope, digest):
    """The signature, by the rules of AWS, and not by those of a library."""
    def encode(text):
        return urllib.parse.quote(text, safe="-._~")
    pairs = sorted((encode(k), encode(v)) for k, v in
                   urllib.parse.parse_qsl(query, keep_blank_values=True))
    request = "\n".join([
        method,
        urllib.parse.quote(urllib.parse.unquote(path), safe="-._~/"),
        "&".join("=".join(pair) for pair in pairs),
        *("%s:%s" % (it, " ".join(headers[it].split())) for it in names),
        "", ";".join(names), digest])
    text = "\n".join(["AWS4-HMAC-SHA256", headers["x-amz-date"], scope,
                      hashlib.sha256(request.encode()).hexdigest()])
    key = ("AWS4" + SECRET).encode()
    for part in scope.split("/") + [text]:
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    return key.hex()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, body, **more):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        for name, value in more.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def error(self, status, code, message, **more):
        self.answer(status, ('<?xml version="1.0" encoding="UTF-8"?>\n<Error>'
                             "<Code>%s</Code><Message>%s</Message>"
                             "<RequestId>1</RequestId></Error>" %
                             (code, message)).encode(), **more)

    def problem(self, bucket, path, query):
        """Of the signature: (status, code, message), or None."""
        text = self.headers.get("Authorization")
        if not text:
            return bucket != "public" and (403, "AccessDenied",
                                           "Access Denied")
        match = re.fullmatch(
            r"AWS4-HMAC-SHA256 Credential=([^/]*)/([^,]*), ?"
            r"SignedHeaders=([^,]*), ?Signature=([0-9a-f]{64})", text)
        if not match:
            return 400, "AuthorizationHeaderMalformed", "no SigV4"
        user, scope, names, signature = match.groups()
        names = names.split(";")
        if user != "AKID":
            return (403, "InvalidAccessKeyId", "The AWS Access Key Id you "
                    "provided does not exist in our records.")
        if scope.split("/")[1] != "eu-west-1":
            return (400, "AuthorizationHeaderMalformed", "The authorization "
                    "header is malformed; the region is wrong")
        sent = [it.lower() for it in self.headers
                if it.lower().startswith("x-amz-")] + ["host"]
        digest = self.headers.get("x-amz-content-sha256", "")
        wanted = sign(self.command, path, query, self.headers, names, scope,
                      digest)
        if (wanted != signature or sorted(names) != names or
                not set(sent) <= set(names) or
                digest not in (NONE, "UNSIGNED-PAYLOAD")):
            return (403, "SignatureDoesNotMatch", "The request signature we "
                    "calculated does not match the signature you provided.")
        token = self.headers.get("x-amz-security-token")
        return bucket == "token" and token != "t/+=" and (
            400, "InvalidToken", "The provided token is malformed")

    def do_GET(self):
        path, _, query = self.path.partition("?")
        _, bucket, key = (urllib.parse.unquote(path) + "/").split("/", 2)
        key = key[:-1]
        options = dict(urllib.parse.parse_qsl(query))
        with lock:
            with open(log, "a") as out:
                print(bucket, repr(key), self.headers.get("Range", "-"), query,
                      file=out)
        problem = self.problem(bucket, path, query)
        if bucket in ("far", "moved"):
            self.error(*((301, "PermanentRedirect", "The bucket you are "
                          "attempting to access must be addressed using the "
                          "specified endpoint.") if bucket == "far" else
                         (400, "AuthorizationHeaderMalformed", "The region is "
                          "wrong")), x_amz_bucket_region="eu-north-1")
        elif problem:
            self.error(*problem, **({"x_amz_bucket_region": "eu-west-1"}
                                    if problem[0] == 400 else {}))
        elif bucket not in ("prof", "public", "token", "many") + LISTINGS:
            self.error(404, "NoSuchBucket",
                       "The specified bucket does not exist")
        elif not key:
            self.list(bucket, options)
        elif bucket == "many" and key == "only.folded":
            self.answer(200, b"main;only 1\n")
        elif key not in keys:
            self.error(404, "NoSuchKey", "The specified key does not exist.")
        else:
            self.send_file(key)

    def list(self, bucket, options):
        if bucket in HOSTILE:
            self.answer(200, HOSTILE[bucket])
            return
        prefix = options.get("prefix", "")
        begin = int(options.get("continuation-token", "/+=0")[3:])
        names = [it for it in (many if bucket == "many" else order)
                 if it.startswith(prefix)]
        end = begin + int(options.get("max-keys",
                                      1000 if bucket == "many" else 3))
        text = ('<?xml version="1.0"?><ListBucketResult xmlns="http://s3.'
                'amazonaws.com/doc/2006-03-01/"><Name>%s</Name>' % bucket)
        if bucket == "loop" or end < len(names):
            text += ("<IsTruncated>true</IsTruncated><NextContinuationToken>"
                     "/+=%d</NextContinuationToken>" %
                     (0 if bucket == "loop" else end))
        for it in names[begin:end]:
            text += ("<Contents><Key>%s</Key><LastModified>2026-11-26T12:00:00"
                     ".000Z</LastModified><ETag>&quot;1&quot;</ETag><Size>%d"
                     "</Size><Owner><ID>x</ID></Owner></Contents>" %
                     (xml.sax.saxutils.escape(urllib.parse.quote_plus(
                         it, safe="/*")), len(keys.get(it, "123456789012"))))
        # Where the keys are read, it is not known yet that they are encoded.
        text += "<EncodingType>url</EncodingType></ListBucketResult>"
        self.answer(200, text.encode())

    def send_file(self, key):
        body = keys[key]
        name = os.path.basename(key)
        offset = int(self.headers.get("Range", "bytes=0-")[len("bytes="):-1])
        with lock:
            seen[key] = seen.get(key, 0) + 1
            times = seen[key]
        if name.startswith("busy") and times == 1:
            self.error(500, "InternalError", "We encountered an internal error")
            return
        self.send_response(206 if offset else 200)
        self.send_header("Content-Length", str(len(body) - offset))
        self.send_header("ETag", '"1"')
        self.end_headers()
        body = body[offset:]
        cut = name.startswith("drop") and len(body) > 100000
        self.wfile.write(body[:100000] if cut else body)
        self.wfile.flush()
        self.close_connection = self.close_connection or cut


BEGIN = b"<ListBucketResult><Contents><Key>a</Key></Contents>"
HOSTILE = {
    "cut": BEGIN + b"<Contents><Key>b",
    "page": b"<html><body>Please log in</body></html>",
    "other": b"Not XML at all",
    "nested": b"<ListBucketResult>" + b"<Contents>" * 9000 +
              b"<Key>x</Key><Size>99999999999999999999999</Size>",
    "entity": b'<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>'
              b"<ListBucketResult><Size>1</Size><Key>x</Key><Contents>"
              b"<Key></Key></Contents><Contents><Key>&b;&#xffffffff;&#0;%zz%"
              b"</Key><LastModified>99999-99-99T99:99:99Z</LastModified>"
              b"</Contents><EncodingType>url</EncodingType>"
              b"<Contents><Key>x%00y</Key></Contents></ListBucketResult>",
}
LISTINGS = ("loop",) + tuple(HOSTILE)
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
server.handle_error = lambda *_: None  # clients that leave
with open(address + ".new", "w") as out:
    out.write("127.0.0.1:%d" % server.server_port)
os.rename(address + ".new", address)
server.serve_forever()
