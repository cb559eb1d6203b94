# SPDX-License-Identifier: Apache-2.0
"""Questions that an assistant is asked, by calls that a script makes.

questions.py CORPUS: each is answered within three calls of 8,192 characters.
The answers are known from elsewhere: text of jfrconv, EXPECTED.tsv, clocks of
the executors and sums over the event log that no code of ours made, functions
that were slowed down on purpose, and arithmetic on folded text.
"""

import asyncio
import csv
import gzip
import os
import re
import sys
from collections import Counter

from client import answer, connect, report

CORPUS = sys.argv[1]
SQL = {"spark_events":
       "jobs/sql/events/eventlog_v2_app-20261126185553-0000"}
RDD = {"spark_events": "jobs/rdd/events/app-20261126191025-0000"}
SQL_FILES, RDD_FILES = ["jobs/sql/profiles"], ["jobs/rdd/profiles"]
SQL_ALL = dict(SQL, profiles=SQL_FILES)
RDD_ALL = dict(RDD, profiles=RDD_FILES)
AP = "real/ap-all.jfr.gz"
TASK = "TaskRunner.run"


# Answers from other programs ---------------------------------------------

def tsv(path):
    with open(os.path.join(CORPUS, path), encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter="\t",
                                   quoting=csv.QUOTE_NONE))


def total(path, column, **where):
    return sum(float(row[column]) for row in tsv(path)
               if all(row[key] == value for key, value in where.items())
               and row[column] != "-")


def heaviest(path, column, name, place=0):
    sums = Counter()
    for row in tsv(path):
        sums[row[name]] += float(row[column])
    return sums.most_common(place + 1)[place][0]


def stacks(path):
    path = os.path.join(CORPUS, path)
    with (gzip.open if path.endswith(".gz") else open)(path, "rt") as file:
        for text in file:
            stack, _, weight = text.rpartition(" ")
            yield [re.sub(r"_\[[01ijkw]\]$", "", one)
                   for one in stack.split(";")], int(weight)


def want(event):
    return "%s.%s.want.gz" % (AP, event)


def weight(path, word=""):
    return sum(n for stack, n in stacks(path)
               if not word or any(word in one for one in stack))


def leaves(path):
    sums = Counter()
    for stack, n in stacks(path):
        sums[stack[-1]] += n
    return sums


def around(path, word, step):
    """The neighbour of a frame that most of its weight has."""
    sums = Counter()
    for stack, n in stacks(path):
        at = [i for i, one in enumerate(stack) if word in one]
        if at:
            i = (at[0] if step < 0 else at[-1]) + step
            sums[stack[i] if 0 <= i < len(stack) else ""] += n
    return sums.most_common(1)[0][1]


def expected(name):
    for row in tsv("real/EXPECTED.tsv"):
        if row["file"] == name:
            return int(row["total"])
    raise KeyError(name)


def stage_sums(event):
    sums = Counter()
    for row in tsv("real/EXPECTED.tsv"):
        found = re.search(r"-stage-(\d+)-.*[.]%s$" % event, row["file"])
        if found:
            sums[found.group(1)] += int(row["total"])
    return sums


def clock(column):
    """How much a function grew, by the program's own clock."""
    means = [[float(row[column]) for row in tsv("jobs/runs-c/clock.tsv")
              if row["group"] == group] for group in ("base", "plus10")]
    return sum(means[1]) / len(means[1]) / (sum(means[0]) / len(means[0])) - 1


def function(folder):
    with open(os.path.join(CORPUS, folder, "FUNCTION"), encoding="utf-8") as f:
        return f.read().strip()


# What the answers say -----------------------------------------------------

def event(found, name):
    return next(one for one in found["events"] if one["event"] == name)


def rows(found):
    """Without what is of no query, stage or executor."""
    return [row for row in found["rows"]
            if not any(str(value).startswith("[") for value in row.values())]


def app(found):
    return found["apps"][0]


def about(value, digits=1):
    return round(float(value), digits)


def names(folder, group, numbers):
    return ["%s/%s-%02d.folded.gz" % (folder, group, i) for i in numbers]


def runs(folder, group, first=range(1, 11), second=range(1, 11), **more):
    return ("runs", dict(before=names(folder, "base", first),
                         after=names(folder, group, second), **more))


def one(tool, **asked):
    return [(tool, asked)]


def changed(found):
    return [change["frame"] for change in found["changes"]]


QUESTIONS = [
    # A recording of async-profiler, by text of jfrconv.
    ("How many CPU samples has it?", one("open", path=AP),
     lambda a: event(a, "cpu")["samples"], lambda: weight(want("cpu"))),
    ("How many wall samples?", one("events", paths=[AP]),
     lambda a: event(a, "wall")["samples"], lambda: weight(want("wall"))),
    ("How many allocations were sampled?", one("events", paths=[AP]),
     lambda a: event(a, "alloc")["samples"] - event(a, "alloc")["no_stack"],
     lambda: weight(want("alloc"))),
    ("How often was a lock waited for?",
     one("top", paths=["real/profile-exec-0.jfr.gz"], event="lock"),
     lambda a: a["total"], lambda: expected("profile-exec-0.jfr.gz.lock")),
    ("Which method is heaviest by itself?", one("top", paths=[AP], event="cpu"),
     lambda a: a["rows"][0]["self"],
     lambda: leaves(want("cpu")).most_common(1)[0][1]),
    ("Which is heaviest by the wall clock?",
     one("top", paths=[AP], event="wall"),
     lambda a: a["rows"][0]["frame"],
     lambda: leaves(want("wall")).most_common(1)[0][0]),
    ("Which class is allocated most?", one("top", paths=[AP], event="alloc"),
     lambda a: a["rows"][0]["self"],
     lambda: leaves(want("alloc")).most_common(1)[0][1]),
    ("What share of the CPU is below TaskRunner.run?",
     one("search", paths=[AP], match=TASK, event="cpu"),
     lambda a: a["share"], lambda: about(
         100 * weight(want("cpu"), TASK) / weight(want("cpu")), 2)),
    ("And of the wall clock?",
     one("search", paths=[AP], match=TASK, event="wall"),
     lambda a: a["with_a_match"], lambda: weight(want("wall"), TASK)),
    ("What does a task call most?",
     one("callees", paths=[AP], match=TASK, event="cpu"),
     lambda a: a["rows"][0]["total"], lambda: around(want("cpu"), TASK, 1)),
    ("Who calls TaskRunner.run?",
     one("callers", paths=[AP], match=TASK, event="cpu"),
     lambda a: a["rows"][0]["total"], lambda: around(want("cpu"), TASK, -1)),
    ("How much of the CPU is in threads?", one("tree", paths=[AP], event="cpu"),
     lambda a: next(row["total"] for row in a["rows"]
                    if row["frame"] == "java/lang/Thread.run"),
     lambda: sum(n for stack, n in stacks(want("cpu"))
                 if stack[0] == "java/lang/Thread.run")),
    # Recordings of stages, by EXPECTED.tsv.
    ("Which stage has most wall samples?", one(
        "table", paths=["real"], key="stage", event="wall", label="stage=0-99"),
     lambda a: a["rows"][0]["total"],
     lambda: stage_sums("wall").most_common(1)[0][1]),
    ("Which stage has most CPU samples?", one(
        "table", paths=["real"], key="stage", event="cpu", label="stage=0-99"),
     lambda a: rows(a)[0]["stage"],
     lambda: stage_sums("cpu").most_common(1)[0][0]),
    ("How many threads were dumped?",
     one("top", paths=["real/jstack-exec-0-1.txt"]),
     lambda a: a["total"], lambda: expected("jstack-exec-0-1.txt")),
    ("How many samples did the database have?",
     one("top", paths=["real/influx-points-exec0.json.gz"]),
     lambda a: a["total"], lambda: expected("influx-points-exec0.json.gz")),
    ("How many samples has py-spy, idle ones too?",
     one("top", paths=["real/pyspy-s-idle.raw"]),
     lambda a: a["total"], lambda: expected("pyspy-s-idle.raw")),
    # A job of SQL, by sums over its event log.
    ("How many core-seconds were paid?", one("bill", **SQL_ALL),
     lambda a: about(app(a)["paid"]),
     lambda: about(total("jobs/sql/answers/executors.tsv", "paid_core_s"))),
    ("How many were idle?", one("bill", **SQL_ALL),
     lambda a: about(app(a)["idle"]),
     lambda: about(total("jobs/sql/answers/executors.tsv", "idle_s"))),
    ("How many executors were there, and were all profiled?",
     one("findings", **SQL_ALL),
     lambda a: (app(a)["executors"], app(a)["profiled"]), lambda: (2, 2)),
    ("Which query costs most?", one(
        "table", paths=SQL_FILES, key="query", event="cost", **SQL),
     lambda a: rows(a)[0]["query"], lambda: heaviest(
         "jobs/sql/answers/queries.tsv", "launch_to_finish_ms",
         "description")),
    ("How much does it cost?", one(
        "table", paths=SQL_FILES, key="query", events="cost,wall", **SQL),
     lambda a: rows(a)[0]["total"], lambda: total(
         "jobs/sql/answers/queries.tsv", "launch_to_finish_ms",
         execution="2") / 1000),
    ("Which query comes second?", one(
        "table", paths=SQL_FILES, key="query", event="cost", **SQL),
     lambda a: rows(a)[1]["query"], lambda: heaviest(
         "jobs/sql/answers/queries.tsv", "launch_to_finish_ms",
         "description", 1)),
    ("What does the Python UDF cost?", one(
        "table", paths=SQL_FILES, key="query", event="cost", **SQL),
     lambda a: next(row["total"] for row in rows(a)
                    if "Python UDF" in row["query"]),
     lambda: total("jobs/sql/answers/queries.tsv", "launch_to_finish_ms",
                   execution="7") / 1000),
    ("Which stage costs most?", one(
        "table", paths=SQL_FILES, key="stage", event="cost", **SQL),
     lambda a: rows(a)[0]["stage"], lambda: heaviest(
         "jobs/sql/answers/stages.tsv", "launch_to_finish_ms", "stage")),
    ("Which executor was paid more?", one(
        "table", paths=SQL_FILES, key="executor", event="cost", **SQL),
     lambda a: rows(a)[0]["executor"], lambda: heaviest(
         "jobs/sql/answers/executors.tsv", "paid_core_s", "executor")),
    ("How many wall samples do its executors have?",
     one("events", paths=SQL_FILES),
     lambda a: event(a, "wall")["samples"],
     lambda: total("jobs/sql/answers/executors.tsv", "wall_samples_all")),
    ("And how many of CPU?", one("events", paths=SQL_FILES),
     lambda a: event(a, "cpu")["samples"],
     lambda: total("jobs/sql/answers/executors.tsv", "cpu_samples_all")),
    # A job of RDDs with planted troubles.
    ("How many core-seconds did rdd-ingest have?", one("bill", **RDD_ALL),
     lambda a: about(app(a)["paid"]),
     lambda: about(total("jobs/rdd/answers/executors.tsv", "paid_core_s"))),
    ("How much of it was garbage collection?", one("bill", **RDD_ALL),
     lambda a: about(app(a)["gc"]),
     lambda: about(total("jobs/rdd/answers/job.tsv", "value", what="gc_s"))),
    ("Which of its jobs costs most?", one(
        "table", paths=RDD_FILES, key="query", event="cost", **RDD),
     lambda a: rows(a)[0]["query"], lambda: heaviest(
         "jobs/rdd/answers/queries.tsv", "launch_to_finish_ms",
         "description")),
    ("In which stage did a task fail?", one("bill", **RDD_ALL),
     lambda a: [row["id"] for row in app(a)["rows"] if row.get("failed")],
     lambda: [int(row["stage"]) for row in tsv("jobs/rdd/answers/stages.tsv")
              if row["failed"] != "0"]),
    ("Which executor differs?", one("findings", **RDD_ALL),
     lambda a: any(re.match(r"Executor 1 .*[.]verifyAgain", found["text"])
                   for found in app(a)["findings"]), lambda: True),
    ("Which stage is skewed?", one("findings", **RDD_ALL),
     lambda a: any("skewed sort: skew" in found["text"]
                   for found in app(a)["findings"]), lambda: True),
    # Runs of one job, of which some were slowed down.
    ("What changed?", [runs("jobs/runs-c", "plus10")],
     lambda a: changed(a), lambda: [function("jobs/runs-c")]),
    ("By how much?", [runs("jobs/runs-c", "plus10")],
     lambda a: a["changes"][0]["low"] <= clock("parse_numbers_ms") <=
     a["changes"][0]["high"], lambda: True),
    ("Is it known that nothing changed between equal runs?",
     [runs("jobs/runs-c", "base", range(1, 11), range(11, 21))],
     changed, lambda: []),
    ("Do 3 % more pass a gate of 3 %?",
     [runs("jobs/runs-c", "plus3", gate="3%", budget=8192)],
     lambda a: a["gate"]["verdict"] == "within", lambda: False),
    ("What changed in the job of Java?", [runs("jobs/runs-java", "plus10")],
     lambda a: any(re.search(function("jobs/runs-java"), name)
                   for name in changed(a)), lambda: True),
    ("What do two single runs differ by?", one(
        "compare", before=names("jobs/runs-c", "base", [1]),
        after=names("jobs/runs-c", "plus10", [1])),
     lambda a: (a["metrics"][0]["rows"][0]["frame"],
                a["metrics"][0]["rows"][0]["self_after"]),
     lambda: moved("jobs/runs-c/base-01.folded.gz",
                   "jobs/runs-c/plus10-01.folded.gz")),
]


def moved(before, after):
    old, new = leaves(before), leaves(after)
    name = max(set(old) | set(new), key=lambda name: abs(new[name] - old[name]))
    return name, new[name]


async def main():
    if len(QUESTIONS) < 40:
        report("there are forty questions", len(QUESTIONS))
    known = {}
    async with connect(CORPUS) as client:
        for text, calls, found, wanted in QUESTIONS:
            try:
                answers = []
                for call in calls[:3]:
                    key = repr(call)
                    if key not in known:
                        known[key] = await answer(client, call[0], **call[1])
                    answers.append(known[key])
                here, there = found(*answers), wanted()
                same = here == there or (isinstance(there, float) and
                                         abs(here - there) < 0.0015)
                wrong = "" if same else "%r, and not %r" % (here, there)
            except (ValueError, KeyError, IndexError, StopIteration) as error:
                wrong = "%s: %s" % (type(error).__name__, error)
            report(text, wrong)


asyncio.run(main())
