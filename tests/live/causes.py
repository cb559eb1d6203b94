# SPDX-License-Identifier: Apache-2.0
"""A Spark job of three queries, in which a switch plants one trouble.

causes.py [TROUBLE [SIZE]]: one of the functions below; none without a trouble.
Shop.java has the functions of the JVM.
"""
import os
import signal
import subprocess
import sys
import threading
import time

from pyspark.sql import SparkSession, Window, functions as F
from pyspark.sql.types import LongType

trouble = sys.argv[1] if len(sys.argv) > 1 else "none"
size = float(sys.argv[2]) if len(sys.argv) > 2 else 1
spark = SparkSession.builder.appName("shop").getOrCreate()
sc = spark.sparkContext


def rows(n, parts=8):
    return spark.range(0, int(n * size), 1, parts)


def text(of):
    """A hundred characters."""
    return F.concat(F.lpad(of.cast("string"), 36, "order "), F.lit("-" * 64))


def java(name):
    spark.udf.registerJavaFunction(name, "shop.Shop$" + name, LongType())
    return F.expr(f"{name}(id)")


def slow_score(n):
    for i in range(1500):
        n = (n * 6364136223846793005 + i) % 1000003
    return n


def distance(n):
    import geodistance
    return geodistance.of(n)


def prices():
    """What "price orders" computes, and of how many rows."""
    if trouble == "udf":
        return F.udf(slow_score, LongType())("id"), 120e3
    if trouble == "module":
        return F.udf(distance, LongType())("id"), 100e3
    if trouble == "regex":
        return F.concat(F.repeat(F.lit("a"), 100), F.col("id").cast("string")
                        ).rlike(".*a.*a.*b").cast("long"), 200
    if trouble == "lock":
        return java("PriceRule"), 4e6
    if trouble == "gc":
        return java("Sessions"), 6e6
    if trouble == "sleep":
        return java("Payment"), 6e6
    return (F.length(F.sha2(text(F.col("id")), 256)),
            4e6 if trouble == "killed" else 1.5e6)


def run(description, frame):
    sc.setJobDescription(description)
    began = time.time()
    frame.agg(F.sum(frame.columns[-1])).collect()
    print(f"{description}: {time.time() - began:.1f} s", flush=True)


def executors():
    """Processes of this application's executors."""
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            said = open(f"/proc/{pid}/cmdline").read()
        except OSError:
            continue
        if "CoarseGrainedExecutorBackend" in said and \
                sc.applicationId in said:
            yield int(pid)


def kill_one():
    """Once tasks of "price orders" run."""
    tracker = sc.statusTracker()
    while not any(tracker.getStageInfo(id).numActiveTasks
                  for id in tracker.getActiveStageIds()):
        time.sleep(.1)
    time.sleep(1)
    os.kill(min(executors()), signal.SIGKILL)


loops = []
if trouble == "busy":
    loops = [subprocess.Popen(["sh", "-c", "while :; do :; done"])
             for _ in range(4 * os.cpu_count())]
try:
    run("read orders", rows(1.5e6).select(
        F.length(F.sha2(text(F.col("id")), 256)).alias("n")))
    if trouble == "driver":
        began, n = time.time(), 0
        while time.time() < began + 40 * size:
            n = slow_score(n)
    price, n = prices()
    if trouble == "killed":
        threading.Thread(target=kill_one, daemon=True).start()
    run("price orders", rows(n).select(price.alias("n")))
    if trouble == "tiny":
        run("count days", rows(8e6, 3000).select("id"))
    few = 1 if trouble == "skew" else 1000
    key = F.when(F.col("id") % 10 > 0, F.col("id") % few).otherwise(
        F.col("id") % 1000)
    run("totals of customers", rows(2e6).select("id", key.alias("key"))
        .repartition(8, "key")
        .select(F.length(F.sha2(text(F.col("id")), 512)).alias("n")))
    if trouble == "spill":
        half = Window.partitionBy(F.xxhash64("text") % 2)
        run("sort orders", rows(4e6).select(text(F.col("id")).alias("text"))
            .select(F.length(F.lag("text").over(half.orderBy("text")))
                    .alias("n")))
finally:
    for loop in loops:
        loop.kill()
    spark.stop()
