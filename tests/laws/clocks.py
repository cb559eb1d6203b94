# SPDX-License-Identifier: Apache-2.0
"""A Spark job of two executors, whose wall-clock samples are known.

clocks.py DIR: makes log.json and exec-0.txt, exec-1.txt (of mkjfr) there, and
prints the core-ms of each stage, and how many ms threads were ready without a
CPU.  clocks.py MS LOG: the log, its clock later by so much, on standard output.
"""
import json
import os
import random
import sys

BEGAN = 1795873800000                    # ms since 1970
STEP = 10                                # ms between samples
HEAD = """chunk 2.0 start={start} duration=120000000000
include ap.types
metadata
"""
TAIL = """checkpoint
include ap.kinds
pool jdk.types.Symbol
1 "org/apache/spark/executor/Executor$TaskRunner"
2 "run"
3 "shop/Stage0"
4 "shop/Stage1"
5 "work"
pool java.lang.Class
1 name=1
2 name=3
3 name=4
pool jdk.types.Method
1 type=1 name=2
2 type=2 name=5
3 type=3 name=5
pool jdk.types.StackTrace
1 frames=[{2 1 0 1} {1 1 0 1}]
2 frames=[{3 1 0 1} {1 1 0 1}]
pool java.lang.Thread
1 "Executor task launch worker-0" 101 "Executor task launch worker-0" 1
"""


def shifted(ms, path):
    def move(value):
        if isinstance(value, dict):
            return {key: item + ms if "Time" in key and isinstance(item, int)
                    and item > 10**12 else move(item)
                    for key, item in value.items()}
        return [move(v) for v in value] if isinstance(value, list) else value
    for line in open(path):
        print(json.dumps(move(json.loads(line))))


def record(directory, executor, log, sums):
    log.append({"Event": "SparkListenerExecutorAdded", "Timestamp": BEGAN,
                "Executor ID": executor,
                "Executor Info": {"Host": "host", "Total Cores": 1}})
    tasks, at = [], BEGAN + 1000
    with open(os.path.join(directory, f"exec-{executor}.txt"), "w") as out:
        out.write(HEAD.format(start=BEGAN * 1000000))
        for turn in range(24):
            # In 1 s: 0.8 s runnable, 0.2 s of it on a CPU.
            ran, stage = random.randint(40, 150) * STEP, turn % 2
            tasks.append((at, ran, stage, turn))
            for i in range(ran // STEP):
                state = 1 if i % 5 < 4 else 2
                ticks = (at - BEGAN + i * STEP + STEP // 2) * 1000000
                print(f"event profiler.WallClockSample {ticks} 1 {stage + 1} "
                      f"{state} 1", file=out)
            sums[stage] += ran
            sums["runnable"] += sum(STEP for i in range(ran // STEP)
                                    if i % 5 < 4)
            sums["cpu"] += ran // 5
            at += ran + random.choice((10, 20, 700, 2500))
        out.write(TAIL)
    return [{"Event": "SparkListenerTaskEnd", "Stage ID": stage,
             "Stage Attempt ID": 0, "Task Type": "ResultTask",
             "Task End Reason": {"Reason": "Success"},
             "Task Info": {
                 "Task ID": int(executor) * 100 + turn, "Index": turn,
                 "Attempt": 0, "Partition ID": turn, "Launch Time": at,
                 "Executor ID": executor, "Host": "host",
                 "Finish Time": at + ran, "Failed": False, "Killed": False},
             "Task Metrics": {"Executor Run Time": ran,
                              "Executor CPU Time": ran // 5 * 1000000}}
            for at, ran, stage, turn in tasks]


def make(directory):
    random.seed(7)
    sums = {0: 0, 1: 0, "runnable": 0, "cpu": 0}
    log = [{"Event": "SparkListenerLogStart", "Spark Version": "4.0.0"},
           {"Event": "SparkListenerApplicationStart", "App Name": "clocks",
            "App ID": "app-1", "Timestamp": BEGAN, "User": "u"}]
    ends = record(directory, "0", log, sums) + record(directory, "1", log, sums)
    for stage in 0, 1:
        log.append({"Event": "SparkListenerStageSubmitted", "Stage Info": {
            "Stage ID": stage, "Stage Attempt ID": 0,
            "Stage Name": f"stage {stage}", "Number of Tasks": 24,
            "Submission Time": BEGAN + 900}})
    ends.sort(key=lambda e: e["Task Info"]["Finish Time"])
    log += ends
    log.append({"Event": "SparkListenerApplicationEnd",
                "Timestamp": ends[-1]["Task Info"]["Finish Time"] + 500})
    with open(os.path.join(directory, "log.json"), "w") as out:
        for event in log:
            print(json.dumps(event), file=out)
    print(sums[0], sums[1], sums["runnable"] - sums["cpu"])


if len(sys.argv) > 2:
    shifted(int(sys.argv[1]), sys.argv[2])
else:
    make(sys.argv[1])
