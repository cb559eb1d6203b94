# SPDX-License-Identifier: Apache-2.0
# A Spark job in local mode, for N seconds: a Python function of each row,
# and an aggregation in the JVM.  Says "ready" and its JVM's number first.
import sys
import time

from pyspark.sql import SparkSession
from pyspark.sql.functions import col, udf
from pyspark.sql.types import LongType


def spin_udf(x):
    n = x
    for i in range(2000):
        n = (n * 31 + i) & 0xffffffff
    return n


spark = (SparkSession.builder.master('local[2]').appName('job')
         .config('spark.ui.enabled', 'false')
         .config('spark.driver.host', '127.0.0.1')
         .config('spark.sql.shuffle.partitions', '4').getOrCreate())
spark.sparkContext.setLogLevel('ERROR')
jvm = spark.sparkContext._jvm.java.lang.ProcessHandle.current().pid()
end = time.time() + float(sys.argv[1])
spin = udf(spin_udf, LongType())
# The daemon of the workers is there from now on.
spark.range(0, 10, 1, 2).select(spin(col('id'))).collect()
print('ready', jvm, flush=True)
while time.time() < end:
    (spark.range(0, 10000, 1, 2).select(spin(col('id')).alias('x'))
     .groupBy((col('x') % 7).alias('k')).count().collect())
    (spark.range(0, 200000, 1, 2)
     .selectExpr('id % 1000 as k', 'cast(id as string) as s')
     .groupBy('k').agg({'s': 'max'}).collect())
spark.stop()
