# SPDX-License-Identifier: Apache-2.0
"""A Spark job of the kinds that a report distinguishes: SQL with adaptive
execution, a UDF in Python, a shuffle and a cached table.

report.py N TIMES...: rows of the tables; steps of the UDF of "heavy", of which that
of "light" has 3,000.  Several TIMES are run in turn as "heavy TIMES".
"""
import sys

from pyspark.sql import SparkSession, functions as F
from pyspark.sql.types import LongType

rows, *times = map(int, sys.argv[1:])
spark = SparkSession.builder.appName("report").getOrCreate()
sc = spark.sparkContext


def work(times):
    def of(value):
        n = value
        for i in range(times):
            n = (n * 6364136223846793005 + i) % 1000003
        return n
    return F.udf(of, LongType())


def heavy(times):
    def heavy_steps(value):
        n = value
        for i in range(times):
            n = (n * 6364136223846793005 + i) % 1000003
        return n
    return F.udf(heavy_steps, LongType())


def run(description, frame):
    sc.setJobDescription(description)
    print(description, frame.agg(F.sum(frame.columns[-1])).collect())


table = spark.range(0, rows, 1, 4).withColumn("key", F.col("id") % 1000)
run("shuffle and join", table.groupBy("key").agg(
    F.sum("id").alias("total")).join(table, "key")
    .select(F.sha2(F.col("id").cast("string"), 256).alias("text"), "total"))
few = spark.range(0, rows // 50, 1, 4)
run("warm Python", few.select(work(10)("id").alias("n")))
run("idle Python", few.select(work(10)("id").alias("n")))
run("light", few.select(work(3000)("id").alias("n")))
for n in times:
    run("heavy" if len(times) == 1 else f"heavy {n}",
        few.select(heavy(n)("id").alias("n")))
cached = table.withColumn("hash", F.xxhash64("id")).cache()
run("fill a cache", cached.select((F.col("hash") % 1000).alias("n")))
run("read a cache", cached.select((F.col("hash") % 999).alias("n")))
spark.stop()
