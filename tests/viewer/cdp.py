# SPDX-License-Identifier: Apache-2.0
"""A headless Chromium over its pipe, for tests that choose files and drop them."""
import base64
import json
import os
import subprocess
import tempfile


class Browser:
    def __init__(self, program):
        self.profile = tempfile.TemporaryDirectory(
            ignore_cleanup_errors=True)
        to_read, to_write = os.pipe()
        from_read, from_write = os.pipe()
        # It reads commands from descriptor 3 and answers on 4.
        self.process = subprocess.Popen(
            ["sh", "-c", f'exec 3<&{to_read} 4>&{from_write}; exec "$@"',
             "sh", program, "--headless", "--no-sandbox", "--disable-gpu",
             "--disable-quic", "--no-first-run", "--disable-sync",
             "--disable-background-networking",
             "--disable-component-update", "--remote-debugging-pipe",
             f"--user-data-dir={self.profile.name}", "about:blank"],
            pass_fds=(to_read, from_write), stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(from_write)
        self.out = os.fdopen(to_write, "wb", buffering=0)
        self.answers = os.fdopen(from_read, "rb")
        self.pending, self.count, self.events = b"", 0, []
        target = self.call("Target.createTarget", url="about:blank")
        self.session = self.call("Target.attachToTarget", flatten=True,
                                 targetId=target["targetId"])["sessionId"]
        for domain in "Page", "Runtime", "Network", "DOM", "Log":
            self.call(f"{domain}.enable")

    def read(self):
        while b"\0" not in self.pending:
            more = self.answers.read1(1 << 20)
            if not more:
                raise RuntimeError("the browser ended")
            self.pending += more
        text, self.pending = self.pending.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, **params):
        self.count += 1
        message = {"id": self.count, "method": method, "params": params}
        if hasattr(self, "session"):
            message["sessionId"] = self.session
        self.out.write(json.dumps(message).encode() + b"\0")
        while True:
            answer = self.read()
            if answer.get("id") == self.count:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def wait_for(self, method):
        while True:
            event = self.read()
            self.events.append(event)
            if event.get("method") == method:
                return event

    def open(self, url):
        self.call("Page.navigate", url=url)
        self.wait_for("Page.loadEventFired")

    def run(self, script):
        """The value of a script's promise."""
        result = self.call("Runtime.evaluate", expression=script,
                           awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError(str(result["exceptionDetails"])[:600])
        return result["result"].get("value")

    def choose(self, selector, paths):
        root = self.call("DOM.getDocument")["root"]["nodeId"]
        node = self.call("DOM.querySelector", nodeId=root,
                         selector=selector)["nodeId"]
        self.call("DOM.setFileInputFiles", nodeId=node, files=paths)

    def drop(self, x, y, paths):
        """Files of the system's, dragged to a place of the page."""
        data = {"items": [], "files": paths, "dragOperationsMask": 1}
        for kind in "dragEnter", "dragOver", "drop":
            self.call("Input.dispatchDragEvent", type=kind, x=x, y=y, data=data)

    def picture(self, path):
        data = self.call("Page.captureScreenshot")["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def requests(self):
        """URLs that were asked for, beside those of the page itself."""
        return [url for url in
                (e["params"]["request"]["url"] for e in self.events
                 if e.get("method") == "Network.requestWillBeSent")
                if not url.startswith(("file:", "blob:", "about:", "data:"))]

    def close(self):
        self.out.write(b'{"id":0,"method":"Browser.close"}\0')
        self.process.wait()
        self.profile.cleanup()
