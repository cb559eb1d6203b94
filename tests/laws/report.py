# SPDX-License-Identifier: Apache-2.0
"""What a report says of a job, against the event log, read by its own rules.

report.py SITE LOG: prints a line for each number that differs.
"""
import collections
import glob
import json
import os
import re
import statistics
import subprocess
import sys


def lines(path):
    if os.path.isdir(path):
        for part in sorted(glob.glob(path + "/events_*") or
                           glob.glob(path + "/*")):
            yield from lines(part)
        return
    head = open(path, "rb").read(4)
    if head == b"\x28\xb5\x2f\xfd":
        text = subprocess.run(["zstd", "-dcq", path], check=True,
                              stdout=subprocess.PIPE).stdout
    else:
        text = open(path, "rb").read()
    yield from text.splitlines()


class Stage:
    def __init__(self):
        self.whole = self.cpu = self.tasks = self.failed = self.killed = 0
        self.gc = self.wait = self.spill = self.written = self.python = 0
        self.unmeasured = 0
        self.name = ""


def read(path):
    stages = collections.defaultdict(Stage)
    executors, ended, seen, version = {}, 0, set(), ""
    pythons = collections.Counter()
    for line in lines(path):
        event = json.loads(line)
        kind = event["Event"]
        if kind == "SparkListenerLogStart":
            version = event["Spark Version"]
        elif kind == "SparkListenerExecutorAdded":
            executors[event["Executor ID"]] = [
                event["Timestamp"], None, event["Executor Info"]["Total Cores"]]
        elif kind == "SparkListenerExecutorRemoved":
            executors[event["Executor ID"]][1] = event["Timestamp"]
        elif kind == "SparkListenerApplicationEnd":
            ended = event["Timestamp"]
        elif kind == "SparkListenerStageCompleted":
            info = event["Stage Info"]
            stage = stages[info["Stage ID"]]
            stage.name = info["Stage Name"]
            for metric in info.get("Accumulables", []):
                if metric.get("Name", "").endswith(
                        "time to run Python workers"):
                    value = int(metric["Value"])
                    stage.python += value - pythons[metric["ID"]]
                    pythons[metric["ID"]] = value
        elif kind == "SparkListenerTaskEnd":
            info, metrics = event["Task Info"], event.get("Task Metrics") or {}
            if info["Task ID"] in seen:  # resubmitted
                continue
            seen.add(info["Task ID"])
            stage = stages[event["Stage ID"]]
            stage.tasks += 1
            reason = event["Task End Reason"]["Reason"]
            if reason != "Success":
                if reason == "TaskKilled" or info.get("Killed"):
                    stage.killed += 1
                else:
                    stage.failed += 1
            end = executors.get(info["Executor ID"], [0, None])[1] or ended
            begin = executors.get(info["Executor ID"], [0])[0]
            stage.whole += max(0, min(info["Finish Time"], end or
                                      info["Finish Time"]) -
                               max(info["Launch Time"], begin))
            stage.cpu += metrics.get("Executor CPU Time", 0) + metrics.get(
                "Executor Deserialize CPU Time", 0)
            if not metrics or (reason != "Success" and
                               not metrics.get("Executor CPU Time")):
                stage.unmeasured += info["Finish Time"] - info["Launch Time"]
            stage.gc += metrics.get("JVM GC Time", 0)
            stage.wait += metrics.get("Shuffle Read Metrics", {}).get(
                "Fetch Wait Time", 0)
            stage.written += metrics.get("Shuffle Write Metrics", {}).get(
                "Shuffle Bytes Written", 0)
            stage.spill += metrics.get("Disk Bytes Spilled", 0)
    return stages, executors, ended, version


def compare(what, seen, wanted, slack=0):
    if abs(seen - wanted) > slack:
        print(f"{what}: {seen}, wanted {wanted}")


def check_stage(stage, wanted):
    what = f"stage {stage['id']}"
    # Tasks of one core overlap by milliseconds: these are paid once.
    compare(what + " cost", stage["cost_us"], wanted.whole * 1000,
         wanted.tasks * 20000)
    # Samples may fill in what the log does not have.
    compare(what + " CPU", max(min(stage["cpu_us"], wanted.cpu / 1000),
                            stage["cpu_us"] - wanted.unmeasured * 1000),
         wanted.cpu / 1000, wanted.tasks * 1000)
    compare(what + " unknown", min(stage.get("unknown_us", 0),
                                wanted.unmeasured * 1000),
         stage.get("unknown_us", 0))
    compare(what + " GC", stage.get("gc_us", 0), wanted.gc * 1000,
         wanted.gc * 20 + 5000)
    if stage.get("name") != wanted.name and wanted.name:
        print(what, "name", stage.get("name"))
    for key, value in (("tasks", wanted.tasks), ("failed", wanted.failed),
                       ("killed", wanted.killed),
                       ("fetch_wait_us", wanted.wait * 1000),
                       ("shuffle_written_bytes", wanted.written),
                       ("disk_spill_bytes", wanted.spill),
                       ("python_metric_us", wanted.python * 1000)):
        compare(f"{what} {key}", stage.get(key, 0), value)
    operators = sum(row["cost_us"] for row in stage["operators"])
    compare(what + " operators", operators, stage["cost_us"])


def check_bars(html, stages, billed):
    """Of each stage's row: the parts are all of it, and CPU is the log's."""
    for row in re.findall(r'<tr data-l="1">.*?</tr>', html, re.S):
        id = int(re.search(r"<small>stage (\d+)", row).group(1))
        parts = {name: float(share) for name, share in re.findall(
            r"<title>([^:]+): ([\d.]+) %</title>", row)}
        cost = billed[id]["cost_us"]
        if not parts:
            continue
        compare(f"stage {id} bar", sum(parts.values()), 100, 0.4)
        if stages[id].unmeasured == 0:
            compare(f"stage {id} bar's CPU", parts.get("tasks on a CPU", 0),
                    min(100 * stages[id].cpu / 1000 / cost, 100),
                    0.06 + 100 * stages[id].tasks * 1000 / cost)


def traits(e):
    paid = e["paid_us"] or 1
    expected = e.get("expected_us", 0)
    return ((e["paid_us"] - e["idle_us"]) / paid, e["cpu_us"] / paid,
            e.get("gc_us", 0) / paid,
            e.get("took_us", 0) / expected if expected else 1,
            e["samples"] > 0, "lost" in e)


def check_executors(html, executors):
    """Of many, ten that are the farthest from the medians are first."""
    names = re.findall(r"<tr><td>([^<]*)<small>[^<]*core",
                       html[html.index("<h2>Executors"):])
    ids = [e["id"] for e in executors]
    if len(ids) > 12:
        columns = list(zip(*map(traits, executors)))
        distances = [0] * len(ids)
        for column in columns:
            middle = statistics.median(column)
            off = [abs(value - middle) for value in column]
            unit = max(statistics.median(off), 0.01)
            distances = [max(d, o / unit) for d, o in zip(distances, off)]
        order = sorted(range(len(ids)), key=lambda i: (-distances[i], i))
        ids = [ids[i] for i in order[:10] + sorted(order[10:])]
        if f"<summary>{len(ids) - 10} more</summary>" not in html:
            print("the number of the other executors")
    if names != ids:
        print("executors", names, "wanted", ids)


def main(site, log):
    stages, executors, ended, version = read(log)
    bill = json.load(open(glob.glob(site + "/data/*.bill.json")[0]))
    app, = bill["apps"]
    paid = sum(((removed or ended) - added) * cores * 1000
               for added, removed, cores in executors.values())
    compare("paid", app["paid_us"], paid)
    if app["spark"] != version:
        print("version", app["spark"])
    billed = {stage["id"]: stage for query in app["queries"]
              for stage in query["stages"]}
    for id, wanted in stages.items():
        if wanted.tasks and id not in billed:
            print("no stage", id)
        elif id in billed:
            check_stage(billed[id], wanted)
    html = open(site + "/index.html").read()
    check_bars(html, stages, billed)
    check_executors(html, app["executors"])
    for query in app["queries"]:
        compare(query["name"], sum(stage["cost_us"] for stage in query["stages"]),
             query["cost_us"])
    parts = ("cpu", "gc", "python", "wait", "unknown", "overhead", "unended",
             "idle")
    compare("parts", sum(app[part + "_us"] for part in parts), paid)
    for key, wanted in (("paid_us", paid),
                        ("wall_us", 1000 * (app["ended"] - app["started"]))):
        compare(key + " by cause", sum(cause.get(key, 0)
                                    for cause in app["causes"]), wanted)
    compare("executors", sum(e["paid_us"] for e in app["executors"]), paid)
    compare("tasks of executors", sum(e["tasks"] for e in app["executors"]),
            sum(stage["tasks"] for stage in billed.values()))
    compare("queries and idle", sum(q["cost_us"] for q in app["queries"]) +
         app["unended_us"] + app["idle_us"], paid)
    summary = json.load(open(site + "/data/summary.json"))["apps"][0]
    compare("rows of the summary", round(
        sum(row["cost"] for row in summary["rows"]) * 1e6), paid)
    for row in summary["rows"]:
        for name in [row.get("page")] + list(row.get("stacks", {}).values()):
            if name and not os.path.exists(site + "/" + name):
                print("no file", name)


main(*sys.argv[1:])
