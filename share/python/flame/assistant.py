# SPDX-License-Identifier: Apache-2.0
"""A server of the Model Context Protocol: flame mcp [--pages FOLDER] FOLDER...

    pip install 'libflamegraph[mcp]'
    flame mcp ~/profiles            # an assistant starts it, and asks by stdio

Each answer is what a tool of libflame writes as JSON, and its messages.  Only
files in the folders that are named here are read, links that lead elsewhere are
not; pages are written to --pages, or else to a temporary folder.  Nothing is
stored between two questions.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import unicodedata
from typing import Any, Dict, Iterable, List, Optional, Tuple

from .__main__ import find

MAX_FILES = 20000
BUDGET, MIN_BUDGET, MAX_BUDGET = 8000, 2048, 1 << 20
SECONDS = 300
# Of an answer, for messages and for how to read it.
RESERVE = 1400

INSTRUCTIONS = """\
Profiles (JFR, perf, pprof, folded text and some 40 formats) and Spark jobs.
Begin with open. Weights are in `unit`; a share is of `total`. self is where a
frame is the leaf, total where it is anywhere on the stack, so totals of several
frames do not add up. cpu counts running threads, wall also waiting ones: do not
compare one with the other. `reading` says what
an answer cannot show.
"""


class Refused(Exception):
    """What a question cannot have, in words for the assistant."""


class Folders:
    """The folders that may be read."""

    def __init__(self, folders: Iterable[str]) -> None:
        self.roots = [os.path.realpath(one) for one in folders]
        for root in self.roots:
            if not os.path.isdir(root):
                raise SystemExit("flame mcp: %s: not a folder" % root)

    def has(self, real: str) -> bool:
        return any(real == root or
                   real.startswith(root.rstrip("/") + "/")
                   for root in self.roots)

    def resolve(self, path: str) -> str:
        """The real path of a file or folder; relative ones are below a root.
        """
        if "\0" in path or not path:
            raise Refused("a path is empty or has a NUL")
        tries = [path] if os.path.isabs(path) else [
            os.path.join(root, path) for root in self.roots]
        real = [os.path.realpath(one) for one in tries]
        inside = [one for one in real if self.has(one)]
        for one in inside:
            if os.path.exists(one):
                return one
        if not inside:
            raise Refused("%s: outside the folders of this server: %s" % (
                path, ", ".join(self.roots)))
        raise Refused("%s: there is no such file; open a folder to list its "
                      "files" % path)

    def files(self, path: str) -> List[str]:
        """A file, or all files below a folder, but those that lead out of it.
        """
        real = self.resolve(path)
        if not os.path.isdir(real):
            return [self.regular(real)]
        found = []
        for where, folders, names in os.walk(real):
            folders[:] = sorted(one for one in folders if one[0] != ".")
            for name in sorted(names):
                one = os.path.realpath(os.path.join(where, name))
                if name[0] != "." and self.has(one) and os.path.isfile(one):
                    found.append(one)
            if len(found) > MAX_FILES:
                raise Refused("%s: more than %d files: name a folder in it" %
                              (path, MAX_FILES))
        if not found:
            raise Refused("%s: there are no files in it" % path)
        return found

    @staticmethod
    def regular(real: str) -> str:
        if not os.path.isfile(real):
            raise Refused("%s: not a regular file" % real)
        return real


def run(tool: str, options: List[str], files: Iterable[str] = (),
        status: Tuple[int, ...] = (0,)) -> Tuple[bytes, List[str]]:
    """What a tool writes, and its messages."""
    program = find(tool)
    if not program:
        raise Refused("%s is not found: the wheel of libflamegraph brings it, "
                      "or put it on PATH" % tool)
    files = list(files)
    names = b"\n".join(map(os.fsencode, files))
    listed = len(files) > 1000 and b"\n" not in names[:-1]
    command = [program, *options]
    # All are absolute, so none is an option.
    command += ["--paths-from=-"] if listed else files
    try:
        done = subprocess.run(command, input=names if listed else b"",
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        raise Refused("%s needed more than %d s: choose fewer files, or a "
                      "shorter time" % (tool, SECONDS)) from None
    said = done.stderr.decode("utf-8", "replace").split("\n")
    said = [line.partition(": ")[2] or line for line in said if line]
    if done.returncode not in status:
        raise Refused(shorten("; ".join(said[-5:]) or "%s failed: status %d" %
                              (tool, done.returncode), 1000))
    return done.stdout, said


def shorten(text: str, size: int) -> str:
    return text if len(text) <= size else text[:size - 3] + "..."


def spell(value: Any) -> str:
    """JSON where characters that cannot be seen are escaped."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return "".join(
        one if unicodedata.category(one) not in
        ("Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp") else json.dumps(one)[1:-1]
        for one in text)


def error_of(share: float, total: float) -> float:
    """Percent by which chance moves a share of that many samples."""
    return 196 * math.sqrt(share * (1 - share) / total)


def reading_of(answer: Dict[str, Any]) -> List[str]:
    """What cannot be concluded from a table."""
    metric, unit = answer.get("metric"), answer.get("unit")
    total, lines = answer.get("total"), []
    total = total if isinstance(total, (int, float)) else 0
    if unit == "samples" and 0 < total < 1000:
        lines.append("only %d samples: by chance alone a share of 10 %% is off "
                     "by up to %.1f points" % (total, error_of(.1, total)))
    if metric == "cpu":
        lines.append("cpu: threads that wait are not in it")
    elif metric == "wall":
        lines.append("wall: waiting and running threads alike; it says nothing "
                     "of the CPU")
    elif metric == "":
        lines.append("the input does not say what its weights are")
    elif metric == "cost":
        lines.append("core-seconds are of the event log; samples say only what "
                     "they went to")
    if answer.get("variance_known") is False:
        lines.append("of so few runs it is not known how much they differ by "
                     "themselves: use three or more on each side")
    if answer.get("kind") == "changes":
        lines.append("one profile of each side: what moved may be chance")
    if answer.get("kind") in ("frames", "callers", "callees"):
        lines.append("totals of several frames do not add up" if
                     answer["kind"] == "frames" else
                     "total is what matches, of %s in all" % answer["of"])
    return lines


def bounded(answer: Dict[str, Any], notes: List[str], budget: int) -> str:
    """The answer within the budget: the longest lists lose their ends."""
    reading = reading_of(answer)
    if reading:
        answer["reading"] = reading
    if notes:
        answer["notes"] = [shorten(line, 300) for line in notes[:6]]
    text = spell(answer)
    while len(text) > budget:
        name, longest = longest_of(answer)
        if not longest:
            raise Refused("this does not fit into %d characters: ask for more "
                          "by budget" % budget)
        gone = max(1, int(len(longest) * min(
            .9, 1.1 * (len(text) - budget) / len(spell(longest)))))
        del longest[-gone:]
        cut = answer.setdefault("cut", {})
        cut[name] = cut.get(name, 0) + gone
        text = spell(answer)
    return text


def longest_of(answer: Dict[str, Any]) -> Tuple[str, List[Any]]:
    """The innermost list that is longest as text, and what it is called."""
    lists = [one for one in lists_of(answer) if len(one[1]) > 1]
    inner = [one for one in lists if not any(
        other[0].startswith(one[0] + "/") for other in lists)]
    return max(inner or [one for one in lists_of(answer) if one[1]],
               key=lambda one: len(spell(one[1])), default=("", []))


def lists_of(value: Any, name: str = "") -> Iterable[Tuple[str, List[Any]]]:
    if isinstance(value, dict):
        for key, one in value.items():
            if key not in ("reading", "notes", "cut"):
                yield from lists_of(one, name + "/" + key if name else key)
    elif isinstance(value, list):
        yield name, value
        for one in value:
            yield from lists_of(one, name)


class Server:
    """The answers.  A method that is in TOOLS is a tool of the protocol."""

    def __init__(self, folders: Folders, pages: Optional[str]) -> None:
        self.folders, self.pages = folders, pages

    def options(self, event: str = "", keep: str = "", root: str = "",
                thread: str = "", label: str = "", time_from: str = "",
                time_to: str = "", spark_events: str = "") -> List[str]:
        found = ["--%s=%s" % (name, value) for name, value in (
            ("event", event), ("keep", keep), ("root", root),
            ("thread", thread), ("label", label), ("from", time_from),
            ("to", time_to)) if value]
        if event == "list":
            raise Refused("event list: the tool events lists them")
        if spark_events:
            found.append("--spark-events=" + self.whole(spark_events))
        return found

    def whole(self, path: str) -> str:
        """A file, or a folder that a tool reads itself, as an event log."""
        real = self.folders.resolve(path)
        for where, folders, names in os.walk(real):
            for name in folders + names:
                one = os.path.realpath(os.path.join(where, name))
                if not self.folders.has(one):
                    raise Refused("%s: leads out of the folders of this server"
                                  % os.path.join(where, name))
        return real

    def inputs(self, paths: List[str]) -> List[str]:
        if not paths:
            raise Refused("no input: name a profile, or a folder of them")
        return [file for path in paths for file in self.folders.files(path)]

    def ask(self, paths: List[str], budget: int, *options: str,
            tool: str = "flame-top", lenient: bool = True) -> str:
        budget = limit(budget)
        files = self.inputs(paths)
        more = ["--partial=ok"] if lenient and len(files) > 1 else []
        if tool == "flame-top":
            more.append("--budget=%d" % max(1024, budget - RESERVE))
        data, said = run(tool, ["-f", "json", *more, *options], files)
        return bounded(json.loads(data), said, budget)

    def open(self, path: str, budget: int = BUDGET) -> str:
        """What a profile says of itself and which metrics it has; of a folder,
        which files there are. Begin here."""
        budget = limit(budget)
        real = self.folders.resolve(path)
        if os.path.isdir(real):
            files = self.folders.files(path)
            return bounded({"kind": "folder", "path": real, "count": len(files),
                            "files": [{"path": os.path.relpath(one, real),
                                       "bytes": os.path.getsize(one)}
                                      for one in files]}, [], budget)
        data, said = run("flame-fold", ["--info", "-f", "json"],
                         self.inputs([path]))
        answer = json.loads(data)
        for one in answer["inputs"]:
            # Settings are many, and seldom asked for: they are cut first.
            one["facts"].sort(key=lambda fact: fact["fact"] == "setting")
        return bounded(answer, said, budget)

    def events(self, paths: List[str], budget: int = BUDGET) -> str:
        """The metrics of profiles: samples, total and its unit, first and last
        time, threads, samples without a stack."""
        return self.ask(paths, budget, "--event=list", tool="flame-fold")

    def table(self, paths: List[str], key: str, event: str = "",
              events: str = "", keep: str = "", root: str = "",
              thread: str = "", label: str = "", time_from: str = "",
              time_to: str = "", spark_events: str = "", rows: int = 30,
              budget: int = BUDGET) -> str:
        """A row for each value of labels, the heaviest first, and what it does
        most. key: thread, state, file, or with spark_events (an event log)
        query, stage, executor, operator, task; several with commas. events:
        metrics as columns, cost,wall; cost is in core-seconds and needs
        spark_events."""
        return self.ask(paths, budget, "--key=" + key, "--rows=%d" % rows,
                        *(["--events=" + events] if events else []),
                        *self.options(event, keep, root, thread, label,
                                      time_from, time_to, spark_events))

    def top(self, paths: List[str], event: str = "", sort: str = "self",
            keep: str = "", root: str = "", thread: str = "", label: str = "",
            time_from: str = "", time_to: str = "", spark_events: str = "",
            rows: int = 30, budget: int = BUDGET) -> str:
        """The heaviest frames, by their own weight (sort self) or with what
        they call (total). keep, root, thread: only stacks with a frame that
        matches, from that frame on, of threads that match."""
        return self.ask(paths, budget, "--sort=" + sort, "--rows=%d" % rows,
                        *self.options(event, keep, root, thread, label,
                                      time_from, time_to, spark_events))

    def callers(self, paths: List[str], match: str, event: str = "",
                keep: str = "", root: str = "", thread: str = "",
                label: str = "", spark_events: str = "", rows: int = 30,
                budget: int = BUDGET) -> str:
        """Who calls the frames that match an expression."""
        return self.ask(paths, budget, "--callers=" + match,
                        "--rows=%d" % rows,
                        *self.options(event, keep, root, thread, label,
                                      spark_events=spark_events))

    def callees(self, paths: List[str], match: str, event: str = "",
                keep: str = "", root: str = "", thread: str = "",
                label: str = "", spark_events: str = "", rows: int = 30,
                budget: int = BUDGET) -> str:
        """Whom the frames that match an expression call."""
        return self.ask(paths, budget, "--callees=" + match,
                        "--rows=%d" % rows,
                        *self.options(event, keep, root, thread, label,
                                      spark_events=spark_events))

    def tree(self, paths: List[str], event: str = "", keep: str = "",
             root: str = "", thread: str = "", label: str = "",
             time_from: str = "", time_to: str = "", spark_events: str = "",
             budget: int = BUDGET) -> str:
        """The tree of calls with its heaviest frames; (lighter) is the sum of
        what is left out below a caller, passed the number of frames left out
        before one."""
        return self.ask(paths, budget, "--tree",
                        *self.options(event, keep, root, thread, label,
                                      time_from, time_to, spark_events))

    def search(self, paths: List[str], match: str, event: str = "",
               thread: str = "", label: str = "", spark_events: str = "",
               budget: int = BUDGET) -> str:
        """Which frames match an expression, and the share of stacks that have
        one."""
        budget = limit(budget)
        files = self.inputs(paths)
        options = self.options(event, "", "", thread, label,
                               spark_events=spark_events)
        around = json.loads(run("flame-top", [
            "-f", "json", "--callers=" + match, *options], files)[0])
        data, said = run("flame-top", ["-f", "json", "--rows=0",
                                       "--sort=total", *options], files)
        try:
            wanted = re.compile(match)
        except re.error as error:
            raise Refused("%s: %s" % (match, error)) from None
        names = json.loads(data)
        rows = [row for row in names["rows"] if wanted.search(row["frame"])]
        return bounded({
            "kind": "search", "matches": match, "metric": around["metric"],
            "unit": around["unit"], "total": around["of"],
            "with_a_match": around["total"],
            "share": round(100 * around["total"] / around["of"], 2)
            if around["of"] else None,
            "names": len(rows), "rows": rows}, said, budget)

    def compare(self, before: List[str], after: List[str], event: str = "",
                sort: str = "self", normalize: bool = False, keep: str = "",
                rows: int = 30, budget: int = BUDGET) -> str:
        """What moved from one profile (or sum of several) to another.
        normalize: as if both had the same total. From two profiles a change
        cannot be distinguished from chance: see runs."""
        data, said = run("flame-diff", [
            "-f", "json", "--top=%d" % rows, "--sort=" + sort,
            *(["--normalize=total"] if normalize else []),
            *self.options(event, keep),
            *self.inputs(before), "--", *self.inputs(after)])
        return bounded(json.loads(data), said, limit(budget))

    def runs(self, before: List[str], after: List[str], event: str = "",
             normalize: bool = False, gate: str = "",
             budget: int = BUDGET) -> str:
        """Which frames changed by more than runs do by themselves, with 95 %
        intervals: three or more runs of each side, a path each. gate 3%: the
        verdict whether any grew by more."""
        data, said = run("flame-diff", [
            "-f", "json", "--runs",
            *(["--normalize=total"] if normalize else []),
            *(["--gate=" + gate] if gate else []), *self.options(event),
            *map(self.whole, before), "--", *map(self.whole, after)],
            status=(0, 1, 3))
        return bounded(json.loads(data), said, limit(budget))

    def job(self, spark_events: str, profiles: List[str]) -> \
            Tuple[Dict[str, Any], List[str]]:
        """The summary that flame-batch writes of a job."""
        self.whole(spark_events)
        with tempfile.TemporaryDirectory(prefix="flame-") as site:
            _, said = run("flame-batch", [
                "--quiet", "--partial=ok", "-o", os.path.join(site, "site"),
                *self.options(spark_events=spark_events)],
                self.inputs(profiles) if profiles else [])
            with open(os.path.join(site, "site", "data", "summary.json"),
                      encoding="utf-8") as file:
                summary = json.load(file)
        for app in summary["apps"]:     # the site is gone
            for one in app.get("findings", []) + app["rows"]:
                one.pop("page", None)
                one.pop("stacks", None)
        return summary, said

    def part(self, spark_events: str, profiles: List[str], budget: int,
             members: Iterable[str], unit: str) -> str:
        summary, said = self.job(spark_events, profiles)
        apps = [{key: app[key] for key in ("id", "name", "spark", *members)
                 if key in app} for app in summary["apps"]]
        return bounded({"kind": "job", "unit": unit, "apps": apps}, said,
                       limit(budget))

    def findings(self, spark_events: str, profiles: Optional[List[str]] = None,
                 budget: int = BUDGET) -> str:
        """What the report of a Spark job finds: the troubles of its event log,
        what to try, and what was paid in core-seconds. profiles: its
        executors' recordings, or a folder of them."""
        return self.part(spark_events, profiles or [], budget,
                         ("findings", "executors", "profiled", "paid", "wall"),
                         "core-seconds; wall in seconds")

    def clock(self, spark_events: str, profiles: Optional[List[str]] = None,
              budget: int = BUDGET) -> str:
        """When a Spark job would end: its seconds, as the log has them and as
        a replay finds them, what made it last (causes), and what would end it
        sooner (changes). A replay is an estimate."""
        return self.part(spark_events, profiles or [], budget,
                         ("started", "ended", "wall", "replayed", "causes",
                          "changes"), "seconds; members _us microseconds")

    def bill(self, spark_events: str, profiles: Optional[List[str]] = None,
             budget: int = BUDGET) -> str:
        """Where the core-seconds of a Spark job went: paid, of it CPU, garbage
        collection, waiting, idle, and a row for each stage with its query;
        rows add up to paid."""
        return self.part(spark_events, profiles or [], budget,
                         ("executors", "profiled", "paid", "cpu", "gc",
                          "python", "wait", "unknown", "overhead", "unended",
                          "idle", "price", "rows"), "core-seconds")

    def draw(self, paths: List[str], title: str = "", event: str = "",
             keep: str = "", root: str = "", thread: str = "",
             label: str = "", spark_events: str = "") -> str:
        """Draws a flame graph as a page of HTML, and says where it is."""
        files = self.inputs(paths)
        data, said = run("flame-graph", [
            "-f", "html", *(["--title=" + title] if title else []),
            *self.options(event, keep, root, thread, label,
                          spark_events=spark_events)], files)
        if not self.pages:
            self.pages = tempfile.mkdtemp(prefix="flame-pages-")
        stem = re.sub(r"[^A-Za-z0-9]+", "-", title or
                      os.path.basename(files[0])).strip("-")[:60] or "page"
        handle, path = tempfile.mkstemp(".html", stem + "-", self.pages)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        return bounded({"kind": "page", "path": path, "bytes": len(data)},
                       said, BUDGET)


TOOLS = ("open", "events", "table", "top", "callers", "callees", "tree",
         "search", "compare", "runs", "findings", "clock", "bill", "draw")


def limit(budget: int) -> int:
    if not MIN_BUDGET <= budget <= MAX_BUDGET:
        raise Refused("budget %d: characters, from %d to %d" % (
            budget, MIN_BUDGET, MAX_BUDGET))
    return budget


def wrapped(method: Any, error: Any) -> Any:
    """The method, whose refusals are errors that the assistant reads."""
    import functools

    @functools.wraps(method)
    def call(*arguments: Any, **named: Any) -> str:
        try:
            return method(*arguments, **named)
        except (Refused, OSError, UnicodeError) as refusal:
            text = str(refusal).encode("utf-8", "replace").decode()
            raise error(spell(text)[1:-1]) from None

    return call


def serve(folders: Folders, pages: Optional[str]) -> None:
    try:
        from mcp.server.mcpserver import MCPServer
        from mcp.server.mcpserver.exceptions import ToolError
    except ImportError as error:
        raise SystemExit("flame mcp: the SDK is missing: pip install "
                         "'libflamegraph[mcp]' (%s)" % error) from None
    server = MCPServer("libflame", instructions=INSTRUCTIONS +
                       "Folders: " + ", ".join(folders.roots),
                       log_level="ERROR")
    answers = Server(folders, pages)
    for name in TOOLS:
        method = getattr(answers, name)
        server.add_tool(wrapped(method, ToolError), name=name,
                        description=" ".join(method.__doc__.split()),
                        structured_output=False)
    server.run("stdio")


def main(arguments: List[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="flame mcp", description="Answers questions on profiles, as a "
        "server of the Model Context Protocol on standard input and output.")
    parser.add_argument("--pages", metavar="FOLDER", help="where pages are "
                        "written (a temporary folder)")
    parser.add_argument("folder", nargs="+", help="may be read, with all that "
                        "is in it")
    given = parser.parse_args(arguments)
    if given.pages and not os.path.isdir(given.pages):
        parser.error("--pages %s: not a folder" % given.pages)
    serve(Folders(given.folder), given.pages)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
