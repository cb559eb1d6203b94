# SPDX-License-Identifier: Apache-2.0
"""Helps tests/live/naps.

cut EVENTS LOG: the event log of a job of Naps.java from the end of its warm-up
on, whose time depends on the machine; prints the ms from there to the end.
predict BILL KEY NAME FACTOR: the application's ms with a change ("-": it has no
name).
replayed BILL: the ms of the replay of its log.
profiler FOLDER FILE JAR...: async-profiler for this machine.
"""
import glob
import json
import subprocess
import sys
import zipfile


def lines(folder):
    for path in sorted(glob.glob(folder + "/eventlog_v2_*/events_*")):
        yield from subprocess.run(["zstd", "-dc", path], check=True,
                                  stdout=subprocess.PIPE).stdout.splitlines()


def cut(folder, to):
    events = [json.loads(line) for line in lines(folder)]
    first = next(e for e in events if e["Event"] == "SparkListenerJobStart")
    begin = next(e["Completion Time"] for e in events
                 if e["Event"] == "SparkListenerJobEnd")
    with open(to, "w") as out:
        for e in events:
            stage = e.get("Stage ID", e.get("Stage Info", {}).get("Stage ID"))
            if (e.get("Job ID") == first["Job ID"] or
                    stage in first["Stage IDs"]):
                continue
            if e["Event"] in ("SparkListenerApplicationStart",
                              "SparkListenerExecutorAdded"):
                e["Timestamp"] = begin
            if e["Event"] == "SparkListenerApplicationEnd":
                print(e["Timestamp"] - begin)
            out.write(json.dumps(e, separators=(",", ":")) + "\n")


def app_of(path):
    with open(path) as bill:
        return json.load(bill)["apps"][0]


def predict(path, key, name, factor):
    app = app_of(path)
    for change in app["changes"]:
        if (change["key"] == key and change["factor"] == float(factor) and
                change.get("name", "-") == name):
            print((app["wall_us"] - change["sooner_us"]) // 1000)


def replayed(path):
    print(app_of(path)["replayed_us"] // 1000)


def profiler(folder, to, *jars):
    for path in jars:
        with zipfile.ZipFile(path) as jar:
            for name in jar.namelist():
                if name.startswith(folder) and name.endswith(".so"):
                    with open(to, "wb") as out:
                        out.write(jar.read(name))
                    return
    sys.exit(1)


{"cut": cut, "predict": predict, "replayed": replayed,
 "profiler": profiler}[sys.argv[1]](*sys.argv[2:])
