# SPDX-License-Identifier: Apache-2.0
"""drop.py CHROMIUM PAGE: flame-drop.html beside the tools of this machine."""
import hashlib
import io
import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from cdp import Browser

TOP, TOOLS = Path(os.environ["TOP"]), os.environ["TOOLS"]
AXE = Path(os.environ.get("AXE",
                          os.environ["BUILD"] + "/axe/axe.min.js"))
DATA = TOP / "tests/data"
count, failed = 0, 0


def verdict(name, problem=""):
    global count, failed
    count += 1
    failed += bool(problem)
    print(f"{'not ok' if problem else 'ok'} {count} - {name}", flush=True)
    for line in str(problem).splitlines()[:30]:
        print("#   " + line[:300])


def same(name, seen, wanted):
    verdict(name, "" if seen == wanted else
            f"seen:   {seen!r:.1200}\nwanted: {wanted!r:.1200}")


def tool(args, folder):
    """(status, output, messages) of a tool on this machine."""
    done = subprocess.run([f"{TOOLS}/{args[0]}", *args[1:]], cwd=folder,
                          capture_output=True, stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout, done.stderr.decode()


# What the page's worker makes of one file each, without the page's own script.
PROBE = """(async () => {
	const text = (id) => document.getElementById(id).textContent;
	window.module_ ??= await WebAssembly.compile(await new Response(
		new Blob([Uint8Array.from(atob(text("module").trim()),
			(c) => c.charCodeAt(0))]).stream().pipeThrough(
			new DecompressionStream("gzip"))).arrayBuffer());
	window.url_ ??= URL.createObjectURL(new Blob([text("worker")],
		{ type: "text/javascript" }));
	const all = [];
	for (const file of document.getElementById("probe").files) {
		const worker = new Worker(url_);
		let said = "";
		const data = await new Promise((resolve) => {
			worker.onmessage = ({ data }) => {
				said += data.said ?? "";
				if (data.output)
					resolve(data);
			};
			worker.onerror = (e) => resolve({ status: e.message });
			worker.postMessage({ module: module_, args: ["flame-fold",
				file.name], files: [{ path: file.name, file }] });
		});
		worker.terminate();
		const sum = new Uint8Array(await crypto.subtle.digest("SHA-256",
			await data.output.arrayBuffer()));
		all.push([data.status, [...sum].map((b) =>
			b.toString(16).padStart(2, "0")).join(""), said,
			data.failed]);
	}
	return all;
})()"""


def folded(browser, files, what, name):
    """That flame-fold writes the same of each file."""
    browser.run("""document.body.append(Object.assign(document.createElement(
        "input"), { type: "file", multiple: true, id: "probe" })), 0""")
    problems = []
    for i in range(0, len(files), 50):
        some = files[i:i + 50]
        browser.choose("#probe", [str(f) for f in some])
        for file, seen in zip(some, browser.run(PROBE)):
            status, output, said = tool(["flame-fold", file.name], file.parent)
            wanted = [status, hashlib.sha256(output).hexdigest(), said, ""]
            if seen != wanted:
                problems.append(f"{file.relative_to(what)}: {seen} {wanted}")
    browser.run('document.getElementById("probe").remove()')
    verdict(f"flame-fold writes the same of {len(files)} {name}, "
            "and says the same", "\n".join(problems))


# Until the page has done its work: a change of its state is awaited.
SETTLED = """new Promise((resolve) => {
	const done = () => document.getElementById("cancel").hidden &&
		document.documentElement.dataset.runs >= %d;
	const look = () => {
		if (done()) {
			watch.disconnect();
			resolve(0);
		}
	};
	const watch = new MutationObserver(look);
	watch.observe(document, { subtree: true, attributes: true });
	look();
})"""


class Page:
    def __init__(self, browser, url):
        self.browser, self.runs = browser, 0
        browser.open(url)
        browser.run("""new Promise((resolve) => {
            const look = () => document.documentElement.dataset.ready &&
                resolve(0);
            new MutationObserver(look).observe(document.documentElement,
                { attributes: true });
            look();
        })""")

    def settle(self):
        self.runs += 1
        self.browser.run(SETTLED % self.runs)

    def text(self, name):
        return self.browser.run(
            f"document.getElementById('{name}').textContent")

    def picture(self):
        return self.browser.run(
            "document.getElementById('picture').srcdoc").encode()

    def set(self, **values):
        for name, value in values.items():
            self.browser.run(f"document.getElementById('{name}').value = "
                             f"'{value}'")


def drawn(page, name, args, folder):
    """That the picture and the messages are those of the command."""
    status, output, said = tool(args, folder)
    same(f"{name}: the picture is that of {args[0]}",
         hashlib.sha256(page.picture()).hexdigest(),
         hashlib.sha256(output).hexdigest())
    same(f"{name}: messages are those of the tool", page.text("messages"),
         said)


def saved(page):
    """The name and the bytes of what the button saves."""
    with tempfile.TemporaryDirectory() as downloads:
        page.browser.call("Page.setDownloadBehavior", behavior="allow",
                          downloadPath=downloads)
        page.browser.run("document.getElementById('save').click()")
        while True:
            event = page.browser.wait_for("Page.downloadProgress")
            if event["params"]["state"] != "inProgress":
                break
        [file] = Path(downloads).iterdir()
        page.runs += 1
        return file.name, file.read_bytes()


def saves(page, file, folder, formats):
    for format, tool_args in formats:
        page.set(format=format)
        name, found = saved(page)
        same(f"saved as {format}: {name}", found,
             tool([*tool_args, file], folder)[1])


# The first link to a page of stacks, once it was followed.
FOLLOWED = """new Promise((resolve) => {
	const frame = document.getElementById("picture");
	let href;
	const look = () => {
		if (frame.dataset.page === "index.html" && !href) {
			const a = frame.contentDocument.querySelector(
				'a[href^="stages/"]');
			href = a.getAttribute("href").split("#")[0];
			a.click();
		} else if (href && frame.dataset.page !== "index.html") {
			watch.disconnect();
			resolve(href);
		}
	};
	const watch = new MutationObserver(look);
	watch.observe(frame, { attributes: true });
	look();
})"""

CANCELLED = """new Promise((resolve) => {
	const button = document.getElementById("cancel");
	const watch = new MutationObserver(() => {
		if (button.hidden)
			return;
		watch.disconnect();
		button.click();
		resolve(0);
	});
	watch.observe(button, { attributes: true });
	document.getElementById("draw").click();
})"""


def report(page):
    """A folder of an event log and a recording."""
    with tempfile.TemporaryDirectory() as folder:
        job = Path(folder) / "job"
        job.mkdir()
        (job / "two_stages.eventlog").write_bytes(
            (DATA / "spark-events/two_stages.eventlog").read_bytes())
        text = DATA / "spark-events/executor.mkjfr"
        mine = Path(folder) / "executor.txt"
        for part in (*(DATA / "jfr-text").glob("*.types"),
                     DATA / "jfr-text/ap.kinds"):
            (Path(folder) / part.name).symlink_to(part)
        mine.write_text(text.read_text().replace("executor-id N",
                                                 "executor-id 1"))
        with open(job / "executor.jfr", "wb") as out:
            subprocess.run([os.environ["BUILD"] + "/tests/mk/mkjfr",
                            str(mine)], stdout=out, check=True)
        page.browser.drop(700, 15, [str(job)])
        page.settle()
        args = ["flame-batch", "--spark-events", "job/two_stages.eventlog",
                "--standalone", "-o", "report", "job/executor.jfr"]
        same("a folder: the command for the shell", page.text("command"),
             " ".join(args))
        _, _, said = tool(args, folder)
        same("a folder: messages are those of flame-batch",
             page.text("messages"), said)
        same("a folder: the page is that of flame-batch",
             page.picture().decode(),
             (Path(folder) / "report/index.html").read_text())
        looks(page.browser, "report")
        name, archive = saved(page)
        site = Path(folder) / "report"
        with zipfile.ZipFile(io.BytesIO(archive)) as pages:
            found = {it: pages.read(it) for it in pages.namelist()}
            wanted = {str(f.relative_to(site)): f.read_bytes()
                      for f in site.rglob("*") if f.is_file()}
            # These two have the times of the inputs, which are finer here.
            for it in "data/all.inputs.json", "data/manifest.json":
                found[it] = found[it] and wanted[it]
            verdict(f"saved: {name} has the report's files", "\n".join(
                f"{it} differs" for it in sorted({*found, *wanted})
                if found.get(it) != wanted.get(it)))
        link = page.browser.run(FOLLOWED)
        same(f"a link of the report leads to {link}", page.picture().decode(),
             (Path(folder) / "report" / link).read_text())


def axe(page, where):
    if not AXE.is_file():
        return
    page.browser.run(AXE.read_text() + "; 0")
    found = page.browser.run("""axe.run(document, { iframes: false }).then(
        ({ violations }) => violations.filter((v) =>
        /serious|critical/.test(v.impact)).map((v) => v.id + " " +
        v.nodes.map((n) => n.target.join(" ")).join(", ")))""")
    same(f"axe finds nothing serious: {where}", found, [])


def looks(browser, name):
    """Pictures to look at, where DROP_LOOKS names a folder."""
    folder = os.environ.get("DROP_LOOKS")
    for width in (1400, 390) if folder else ():
        for theme in "light", "dark":
            browser.call("Emulation.setDeviceMetricsOverride", width=width,
                         height=900, deviceScaleFactor=1, mobile=False)
            browser.call("Emulation.setEmulatedMedia", features=[
                {"name": "prefers-color-scheme", "value": theme}])
            browser.run("new Promise((r) => setTimeout(r, 800))")
            browser.picture(f"{folder}/{name}-{width}-{theme}.png")
    browser.call("Emulation.clearDeviceMetricsOverride")


def main():
    browser = Browser(sys.argv[1])
    page = Page(browser, Path(sys.argv[2]).resolve().as_uri())
    axe(page, "before a file")
    looks(browser, "empty")

    jfr = DATA / "jfr/spark-cpu-wall.jfr"
    browser.drop(400, 400, [str(jfr)])
    page.settle()
    drawn(page, "a recording is dropped", ["flame-graph", "--events", "all",
          "-f", "html", jfr.name], jfr.parent)
    same("the command for the shell", page.text("command"),
         "flame-graph --events all -o spark-cpu-wall.html spark-cpu-wall.jfr")
    axe(page, "with a picture")
    looks(browser, "picture")
    saves(page, jfr.name, jfr.parent, [
        ("html", ["flame-graph", "--events", "all", "-f", "html"]),
        ("svg", ["flame-graph"]), ("folded", ["flame-fold"]),
        ("speedscope", ["flame-fold", "-f", "speedscope"]),
        ("pprof", ["flame-fold", "-f", "pprof"])])

    page.set(root="TaskRunner.run", event="wall")
    browser.run("document.getElementById('threads').checked = true, "
                "document.getElementById('draw').click()")
    page.settle()
    drawn(page, "a root, an event, by thread", ["flame-graph", "--root",
          "TaskRunner.run", "--event", "wall", "--threads", "-f", "html",
          jfr.name], jfr.parent)
    page.set(root="", event="")
    browser.run("document.getElementById('threads').checked = false, 0")

    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        (folder / "a.folded").write_text("main;a;b 8\nmain;c 6\n")
        (folder / "b.folded").write_text("main;a;b 3\nmain;c;d 9\n")
        both = [str(folder / "a.folded"), str(folder / "b.folded")]
        browser.choose("#choose", both)
        page.settle()
        drawn(page, "two files are chosen", ["flame-graph", "--events", "all",
              "-f", "html", "a.folded", "b.folded"], folder)
        page.set(what="diff")
        browser.run("document.getElementById('draw').click()")
        page.settle()
        drawn(page, "two files are compared", ["flame-diff", "--events",
              "all", "-f", "html", "a.folded", "b.folded"], folder)

        bad = folder / "it's <b>bad.jfr"
        bad.write_bytes(jfr.read_bytes()[:100])
        # Above the picture, which is a page of its own.
        browser.drop(700, 15, [str(bad)])
        page.settle()
        same("a bad file: the message of the tool", page.text("messages"),
             tool(["flame-graph", "--events", "all", "-f", "html", bad.name],
                  folder)[2])
        looks(browser, "bad")

    report(page)
    browser.run("document.getElementById('text').value = 'main;x 3\\n', "
                "document.getElementById('pasting').requestSubmit()")
    page.settle()
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "pasted.txt").write_text("main;x 3\n")
        drawn(page, "pasted text", ["flame-graph", "--events", "all", "-f",
              "html", "pasted.txt"], folder)

    browser.run(CANCELLED)
    page.settle()
    same("a run is cancelled", page.text("messages"),
         "flame-drop: cancelled\n")

    with tempfile.TemporaryDirectory() as folder:
        mangled = Path(folder) / "mangled.folded"
        mangled.write_text(
            "_ZN10JavaThread3runEv;_ZNSt6vectorIiSaIiEE9push_backERKi 3\n"
            "_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE;_Znot 2\n")
        folded(browser, [mangled], Path(folder), "file of mangled names")

    folded(browser, sorted(f for f in DATA.rglob("*") if f.is_file() and
                           f.name not in ("README", "record.sh")), DATA,
           "files of tests/data")
    corpus = os.environ.get("FLAME_CORPUS")
    if corpus and os.environ.get("DROP_CORPUS"):
        folded(browser, sorted(f for f in Path(corpus).rglob("*")
                               if f.is_file()), Path(corpus),
               "files of the corpus")
    same("no request to a network", browser.requests(), [])
    same("nothing in the console", [e["params"]["entry"]["text"] for e in
         browser.events if e.get("method") == "Log.entryAdded"], [])
    browser.close()
    print(f"1..{count}")


main()
