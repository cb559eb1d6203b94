# SPDX-License-Identifier: Apache-2.0
"""Event logs of jobs that are known, and what their reports say.

causes.py null N FLAME-BATCH: N jobs of even tasks, whose times are drawn from a
log-normal distribution; prints how many have a finding about a task, a host or
an executor.
causes.py planted FLAME-BATCH: jobs with one trouble each; prints a line for each
whose report does not say so.
causes.py ledger N FLAME-BATCH: N random jobs; prints a line for each cause that
differs from a count of every millisecond.
"""
import collections
import heapq
import json
import os
import random
import subprocess
import sys
import tempfile

START = 1700000000000


class Job:
    """Tasks in the order of their stages, each on the core that is free first."""

    def __init__(self, executors, cores, seed):
        self.random = random.Random(seed)
        self.lines, self.tasks, self.cores = [], 0, cores
        self.hosts = {str(e): f"node{e}" for e in range(1, executors + 1)}
        self.now = 3000
        self.free = [(self.now, str(e), c) for e in range(1, executors + 1)
                     for c in range(cores)]
        self.marks = []         # of the ledger: (stage, executor, from, to)
        self.stages = {}        # submitted, completed, number of tasks
        self.event("LogStart", **{"Spark Version": "4.0.0"})
        self.event("ApplicationStart", **{
            "App Name": "job", "App ID": f"app-20231114221320-{seed:04}",
            "Timestamp": START})
        for e, host in self.hosts.items():
            self.event("ExecutorAdded", **{
                "Timestamp": START + 1000, "Executor ID": e,
                "Executor Info": {"Host": host, "Total Cores": cores}})

    def event(self, name, **members):
        self.lines.append(json.dumps({"Event": "SparkListener" + name,
                                      **members}))

    def stage(self, id, times, reason=None, records=None, slow=()):
        """times: in ms; slow: executors of which all tasks are slower."""
        info = {"Stage ID": id, "Stage Attempt ID": 0,
                "Stage Name": f"map at job.py:{id}",
                "Number of Tasks": len(times),
                "Submission Time": START + self.now}
        self.event("StageSubmitted", **{"Stage Info": info, "Properties": {
            "spark.job.description": f"step {id}"}})
        end = submitted = self.now
        self.free = [(max(at, self.now), e, c) for at, e, c in self.free]
        heapq.heapify(self.free)
        for k, time in enumerate(times):
            at, e, core = heapq.heappop(self.free)
            time = round(time * (3 if e in slow else 1))
            self.task(id, k, e, at, time, records[k] if records else None,
                      reason)
            heapq.heappush(self.free, (at + time, e, core))
            end = max(end, at + time)
        self.stages[id] = submitted, end, len(times)
        info = dict(info, **{"Completion Time": START + end})
        self.event("StageCompleted", **{"Stage Info": info})
        self.now = end

    def task(self, stage, index, executor, at, time, records, reason):
        self.marks.append((stage, executor, at, at + time))
        metrics = {"Executor Run Time": time, "JVM GC Time": 0,
                   "Executor CPU Time": time * 900000}
        if records is not None:
            metrics["Input Metrics"] = {"Bytes Read": records * 100,
                                        "Records Read": records}
        self.event("TaskEnd", **{
            "Stage ID": stage, "Stage Attempt ID": 0,
            "Task End Reason": reason or {"Reason": "Success"},
            "Task Info": {"Task ID": self.tasks, "Index": index, "Attempt": 0,
                          "Launch Time": START + at, "Executor ID": executor,
                          "Host": self.hosts[executor],
                          "Finish Time": START + at + time},
            "Task Metrics": metrics})
        self.tasks += 1

    def gap(self, time):
        self.now += time

    def report(self, flame_batch, ended=True):
        if ended:
            self.event("ApplicationEnd", Timestamp=START + self.now)
        with tempfile.TemporaryDirectory() as folder:
            log, site = folder + "/log", folder + "/site"
            with open(log, "w") as out:
                out.write("\n".join(self.lines) + "\n")
            with open(folder + "/stray.folded", "w") as out:
                out.write("main 1\n")
            subprocess.run([flame_batch, "-q", "--spark-events", log, "-o",
                            site, folder + "/stray.folded"], check=True,
                           stderr=subprocess.DEVNULL)
            with open(site + "/data/summary.json") as text:
                app, = json.load(text)["apps"]
            for name in os.listdir(site + "/data"):
                if name.endswith(".bill.json"):
                    with open(site + "/data/" + name) as text:
                        app["bill"] = json.load(text)["apps"][0]
            return app


def even(job, n, sigma=.3):
    return [2000 * job.random.lognormvariate(0, sigma) for _ in range(n)]


def null(n, flame_batch):
    found = 0
    for seed in range(n):
        shape = random.Random(seed)
        job = Job(shape.choice((2, 3, 4, 8, 16)), shape.choice((1, 2, 4)), seed)
        for stage in range(shape.choice((1, 3, 6))):
            job.stage(stage, even(job, shape.choice((8, 20, 60, 200, 400))))
        texts = [f["text"] for f in job.report(flame_batch)["findings"]]
        bad = [text for text in texts
               if "one of" in text or "xecutor" in text or "host" in text]
        found += bool(bad)
        if bad:
            print(f"# {seed}: {bad[0]}")
    print(found)


def planted(flame_batch):
    def judge(name, job, *words, ended=True):
        findings = job.report(flame_batch, ended)["findings"]
        first = findings[0]["text"] if findings else "nothing"
        for word in words:
            if word.lower() not in first.lower():
                print(f"{name}: no {word} in: {first}")

    job = Job(2, 2, 1)
    job.stage(0, even(job, 40))
    job.stage(1, even(job, 11) + [40000], records=[1000] * 11 + [90000])
    judge("skew", job, "skew", "stage 1", "one of 12 tasks", "90000 records")

    job = Job(2, 2, 2)
    job.stage(0, even(job, 40))
    job.stage(1, [30000] + even(job, 11), records=[1000] * 12)
    judge("a long task", job, "stage 1", "one of 12 tasks", "as others do")

    job = Job(4, 2, 3)
    job.stage(0, even(job, 200), slow="2")
    judge("a slow executor", job, "executor 2 (node2)")

    job = Job(2, 1, 4)
    job.stage(0, even(job, 20))
    job.gap(60000)
    job.stage(1, even(job, 4))
    judge("the driver", job, "driver")

    job = Job(2, 2, 5)
    job.stage(0, even(job, 20))
    trace = ("org.apache.spark.SparkException: task failed\n"
             "\tat org.apache.spark.A.b(A.scala:1)\n"
             "Caused by: java.io.IOException: No space left on device\n"
             "\tat java.base/c.D.e(D.java:2)\n")
    job.stage(1, even(job, 4), reason={
        "Reason": "ExceptionFailure", "Class Name":
        "org.apache.spark.SparkException", "Description": "task failed",
        "Full Stack Trace": trace})
    job.event("JobEnd", **{"Job ID": 0, "Completion Time": START + job.now,
                           "Job Result": {"Result": "JobFailed", "Exception": {
                               "Message": "Job aborted due to stage failure: "
                               "Task 0 in stage 1.0 failed 4 times, most recent"
                               " failure: Lost task 0.3 in stage 1.0 (TID 9) "
                               "(node1 executor 1): " + trace}}})
    judge("a failed job", job, "failed", "step 1", "No space left on device",
          "4 of 4 tasks")

    job = Job(2, 2, 6)
    job.stage(0, even(job, 20))
    job.event("ExecutorRemoved", **{
        "Timestamp": START + job.now, "Executor ID": "2", "Removed Reason":
        "The executor with id 2 exited with exit code 137(SIGKILL, possible "
        "container OOM)."})
    job.free = [f for f in job.free if f[1] == "1"]
    job.stage(1, even(job, 8))
    judge("a lost executor", job, "1 of 2 executors", "lost", "137", "node2")

    job = Job(2, 2, 7)
    job.stage(0, even(job, 20))
    for e in "12":
        job.event("ExecutorRemoved", **{
            "Timestamp": START + job.now, "Executor ID": e, "Removed Reason":
            "Command exited with code 143"})
    judge("both executors", job, "both executors", "143", ended=False)

    # A job that ends with the application is not the cause of its end.
    job.event("JobEnd", **{"Job ID": 0, "Completion Time": START + job.now,
                           "Job Result": {"Result": "JobFailed", "Exception": {
                               "Message": "Job 0 cancelled because "
                               "SparkContext was shut down"}}})
    judge("a cancelled job", job, "both executors", ended=False)

    job = Job(2, 2, 8)
    job.stage(0, even(job, 20))
    job.stage(1, [80000])
    judge("few tasks", job, "stage 1", "too few tasks")

    # Removed at its end, or as the driver wanted it: nothing of it.
    job = Job(2, 2, 9)
    job.stage(0, even(job, 40))
    for e, why in (("1", "Executor killed by driver."),
                   ("2", "Command exited with code 143"), ("7", "gone")):
        job.event("ExecutorRemoved", **{"Timestamp": START + job.now,
                                        "Executor ID": e,
                                        "Removed Reason": why})
    app = job.report(flame_batch)
    for finding in app["findings"]:
        if "lost" in finding["text"]:
            print("removed at the end:", finding["text"])
    if app["executors"] != 2:
        print("executors:", app["executors"])

    job = Job(1, 4, 20)
    job.lines[1:] = job.lines[:0:-1]    # as in local mode
    job.stage(0, even(job, 8))
    job.gap(60000)
    job.stage(1, even(job, 8))
    judge("added before the application", job, "only the driver", "60.0 s")


def count(job):
    """What each millisecond of time, and of idle cores, went to."""
    wall, idle = collections.Counter(), collections.Counter()
    cores = len(job.hosts) * job.cores
    first = min(mark[2] for mark in job.marks)
    for ms in range(job.now):
        running = collections.Counter(
            mark[0] for mark in job.marks if mark[2] <= ms < mark[3])
        pending = sum(
            size - sum(mark[0] == id and mark[2] <= ms for mark in job.marks)
            for id, (submitted, end, size) in job.stages.items()
            if submitted <= ms < end)
        there = cores if ms >= 1000 else 0
        rest = there - sum(running.values())
        if not running:
            key = ("start" if ms < first else "pending" if pending else
                   "driver")
            idle[key] += rest
        elif pending or not rest:
            key = "tasks"
            idle["pending"] += rest
        else:
            few = min(rest, max(0, there - sum(job.stages[id][2]
                                               for id in running)))
            key = "tail" if few * 2 < rest else "few"
            idle["few"] += few
            idle["tail"] += rest - few
        wall[key] += 1
    return wall, idle


def ledger(n, flame_batch):
    for seed in range(n):
        job = Job(2, 2, seed)
        for stage in range(3):
            job.stage(stage, [job.random.randrange(20, 400) for _ in range(
                job.random.choice((1, 3, 6, 9)))])
            job.gap(job.random.randrange(200))
        bill = job.report(flame_batch)["bill"]
        for key, wanted in zip(("wall_us", "paid_us"), count(job)):
            found = collections.Counter()
            for cause in bill["causes"]:
                found[cause["key"]] += cause.get(key, 0)
            names = ["start", "driver", "pending"]
            if key == "wall_us":
                # While a task runs time is of what the end waited for.
                wanted["all"] = job.now
                found["all"] = sum(found.values())
                names.append("all")
            else:
                names += ["few", "tail"]
            for name in names:
                # Idle time is scaled to what was paid, to a microsecond.
                if abs(found[name] - wanted[name] * 1000) > 3:
                    print(f"{seed}: {key} of {name}: {found[name]}, wanted "
                          f"{wanted[name] * 1000}")


what, *rest = sys.argv[1:]
if what == "planted":
    planted(*rest)
else:
    {"null": null, "ledger": ledger}[what](int(rest[0]), rest[1])
