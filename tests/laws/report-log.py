# SPDX-License-Identifier: Apache-2.0
"""An event log of a large application: report-log.py STAGES EXECUTORS TASKS."""
import json
import sys

stages, executors, tasks = map(int, sys.argv[1:])
start = now = 1700000000000


def out(event, **members):
    print(json.dumps({"Event": "SparkListener" + event, **members},
                     separators=(",", ":")))


out("LogStart", **{"Spark Version": "4.0.0"})
out("ApplicationStart", **{"App Name": "large", "Timestamp": start,
                           "App ID": "app-20231114221320-0001"})
for e in range(1, executors + 1):
    out("ExecutorAdded", **{"Timestamp": start, "Executor ID": str(e),
                            "Executor Info": {"Host": f"node{e}",
                                              "Total Cores": 4}})
task = 0
for stage in range(stages):
    info = {"Stage ID": stage, "Stage Attempt ID": 0, "Submission Time": now,
            "Stage Name": f"map at job.py:{stage % 97}",
            "Number of Tasks": tasks}
    out("StageSubmitted", **{"Stage Info": info, "Properties": {
        "spark.job.description": f"query {stage // 20} of the night"}})
    for k in range(tasks):
        run = 500 + task % 700
        out("TaskEnd", **{
            "Stage ID": stage, "Stage Attempt ID": 0,
            "Task End Reason": {"Reason": "Success"},
            "Task Info": {"Task ID": task, "Index": k, "Launch Time": now,
                          "Executor ID": str(1 + task % executors),
                          "Finish Time": now + run},
            "Task Metrics": {"Executor Deserialize Time": 10,
                             "Executor Deserialize CPU Time": 9000000,
                             "Executor Run Time": run - 20,
                             "Executor CPU Time": (run - 20) * 700000,
                             "JVM GC Time": run // 20}})
        task += 1
    now += 1300
    info["Completion Time"] = now
    out("StageCompleted", **{"Stage Info": info})
out("ApplicationEnd", Timestamp=now)
