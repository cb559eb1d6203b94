# SPDX-License-Identifier: Apache-2.0
"""Judges JSON and CSV of the tools (see answers): prints what is wrong."""

import csv
import json
import re
import sys
from collections import Counter


def say(*words):
    print(*words)


def load(path):
    with open(path, encoding="utf-8", newline="") as file:
        return json.load(file)


def schema(path, *answers):
    import jsonschema
    rules = jsonschema.Draft202012Validator(load(path))
    kinds = set()
    for answer in answers:
        found = load(answer)
        kinds.add(found["kind"])
        for error in rules.iter_errors(found):
            say(answer, error.message[:200])
    missing = {"frames", "callers", "callees", "tree", "keys", "events",
               "facts", "changes", "runs", "job"} - kinds
    if missing:
        say("no answer of", missing)
    if not list(rules.iter_errors({"schema": "libflame/1", "kind": "frames"})):
        say("a table without rows is valid")


def stacks(path):
    """Frames of each stack, as JSON spells them, and its weight."""
    with open(path, "rb") as file:
        for line in file.read().split(b"\n"):
            stack, _, weight = line.rpartition(b" ")
            if stack:
                yield [re.sub(r"_\[[01ijkw]\]$", "", one) for one in
                       spelled(stack).split(";")], int(weight)


def spelled(text):
    """UTF-8, where each byte that is not is U+FFFD."""
    out, at = "", 0
    while at < len(text):
        for size in (1, 2, 3, 4):
            try:
                out += text[at:at + size].decode()
                break
            except UnicodeDecodeError:
                size = 0
        else:
            out += "\ufffd"
        at += size or 1
    return out


def is_short_for(name, whole):
    """Whether it is the name, or the name without its middle."""
    if name == whole:
        return True
    first, dots, last = name.partition("...")
    return bool(dots) and whole.startswith(first) and whole.endswith(last)


def left_out(found, rows, weight):
    share = 100 - 100 * sum(map(weight, found["rows"])) / found["total"]
    if abs(found["left_out"]["share"] - share) > 0.0051:
        say("left out", found["left_out"], "is", share)
    if rows - len(found["rows"]) != found["left_out"]["rows"]:
        say("left out", found["left_out"], "of", rows)


def frames(folded, answer):
    selfs, totals = Counter(), Counter()
    for stack, weight in stacks(folded):
        selfs[stack[-1]] += weight
        for name in set(stack):
            totals[name] += weight
    found = load(answer)
    if found["total"] != sum(selfs.values()):
        say("total", found["total"], "is", sum(selfs.values()))
    for row in found["rows"]:
        if not any(is_short_for(row["frame"], name) and
                   (selfs[name], totals[name]) == (row["self"], row["total"])
                   for name in totals):
            say(row)
    order = [(-row["self"], -row["total"]) for row in found["rows"]]
    if order != sorted(order):
        say("not in order")
    left_out(found, len(totals), lambda row: row["self"])


def tree(folded, answer):
    paths, names = Counter(), {}
    total = 0
    for stack, weight in stacks(folded):
        total += weight
        for depth in range(1, len(stack) + 1):
            paths[tuple(stack[:depth])] += weight
    for path, weight in paths.items():
        names.setdefault((len(path), weight), []).append(path[-1])
    found = load(answer)
    open_rows, below, depth, lighter = [], [], [], 0
    rows = found["rows"]
    for row in rows + [{"level": 0}]:
        while len(open_rows) > row["level"]:
            one, rest = open_rows.pop(), below.pop()
            depth.pop()
            if one["total"] != one["self"] + rest:
                say(one, "has", rest, "below it")
        if "frame" not in row:
            break
        if below:
            below[-1] += row["total"]
        at = (depth[-1] + 1 if depth else 0) + row.get("passed", 0)
        if row["frame"] == "(lighter)":
            lighter += 1
        elif row["level"] and not any(
                is_short_for(row["frame"], name)
                for name in names.get((at, row["total"]), ())):
            say("no stack has", row, "at", at)
        open_rows.append(row)
        below.append(0)
        depth.append(at)
    if not rows or rows[0]["total"] != total:
        say("it is not all", total)
    left_out(found, len(paths) + 1 + lighter,
             lambda row: 0 if row["frame"] == "(lighter)" else row["self"])


def around(folded, answer, pick):
    found, sums, all_of = load(answer), Counter(), 0
    wanted = re.compile(found["matches"])
    for stack, weight in stacks(folded):
        all_of += weight
        at = [i for i, name in enumerate(stack) if wanted.search(name)]
        if at:
            sums[pick(stack, at)] += weight
    if (found["of"], found["total"]) != (all_of, sum(sums.values())):
        say("of", found["of"], found["total"], all_of, sum(sums.values()))
    rows = Counter({row["frame"]: row["total"] for row in found["rows"]})
    for name in rows:
        if sums[name] != rows[name]:
            say(name, rows[name], "is", sums[name])
    left_out(found, len(sums), lambda row: row["total"])


def callers(folded, answer):
    around(folded, answer,
           lambda stack, at: stack[at[0] - 1] if at[0] else "")


def callees(folded, answer):
    around(folded, answer, lambda stack, at: stack[at[-1] + 1]
           if at[-1] + 1 < len(stack) else "")


def table(path, dialect):
    with open(path, "rb") as file:
        data = file.read()
    if dialect == "excel":
        if data.count(b"\n") != data.count(b"\r\n"):
            say("a line does not end in CR LF")
    text = data.decode("utf-8", "replace")
    if dialect == "tsv":
        return [line.split("\t") for line in text.split("\n")[:-1]]
    return list(csv.reader(text.split("\r\n")[:-1], strict=True))


def csv_(tsv, comma):
    if table(tsv, "tsv") != table(comma, "excel"):
        say("they differ")
    if any(cell[:1] in ("=", "+", "-", "@") for row in table(comma, "excel")
           for cell in row):
        say("a formula")


def labels(path, *keys):
    sums = Counter()
    with open(path, encoding="utf-8") as file:
        for line in file:
            sample = json.loads(line)
            sums[tuple(sample.get(key, "") for key in keys)] += \
                sample["value"]
    return sums


def keys(cpu, wall, one, two, short):
    found, sums = load(one), labels(cpu, "thread")
    if {(row["thread"],): row["total"] for row in found["rows"]} != sums:
        say("thread", sums)
    left_out(found, len(sums), lambda row: row["total"])
    left_out(load(short), len(sums), lambda row: row["total"])
    if not load(short)["left_out"]["rows"]:
        say("nothing left out")
    both = [labels(path, "thread", "state") for path in (cpu, wall)]
    for row in load(two)["rows"]:
        key = (row["thread"], row["state"])
        if (row["total"], row["wall samples"]) != (both[0].pop(key, 0),
                                                   both[1].pop(key, 0)):
            say(row)
    if both[0] or both[1]:
        say("missing", both)


def cost(answer, job):
    found, app = load(answer), load(job)["apps"][0]
    if abs(found["total"] - app["paid"]) > 1e-6:
        say("paid", app["paid"])
    sums = Counter()
    for row in app["rows"]:
        sums[row["query"]] += row["cost"]
    for row in found["rows"]:
        sums[row["query"]] -= row["total"]
    if any(abs(rest) > 2e-6 for rest in sums.values()):
        say(sums)
    if sum(row["wall samples"] for row in found["rows"]) != \
            found["more"][0]["total"]:
        say(found["more"])


{"schema": schema, "frames": frames, "tree": tree, "min": tree,
 "callers": callers, "callees": callees, "csv": csv_, "keys": keys,
 "cost": cost}[sys.argv[1]](*sys.argv[2:])
