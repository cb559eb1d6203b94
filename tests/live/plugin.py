# SPDX-License-Identifier: Apache-2.0
# Two stages of busy tasks on two executors of Spark, with a pause between; its
# arguments are of the configuration.  Says the application, and "done" at the
# end.
import sys
import time

from pyspark.sql import SparkSession

builder = (SparkSession.builder.master('local-cluster[2,1,768]')
           .appName('plugin')
           .config('spark.ui.enabled', 'false')
           .config('spark.driver.bindAddress', '127.0.0.1')
           .config('spark.driver.host', '127.0.0.1')
           .config('spark.executor.memory', '600m')
           .config('spark.sql.adaptive.enabled', 'false')
           .config('spark.sql.shuffle.partitions', '2'))
for pair in sys.argv[1:]:
    builder = builder.config(*pair.split('=', 1))
spark = builder.getOrCreate()
print('application', spark.sparkContext.applicationId, flush=True)
# Both executors are there before there is work; in local mode there is one.
wanted = 1 if spark.sparkContext.master.startswith('local[') else 3
rows = 30000000 if wanted == 3 else 100
status = spark.sparkContext._jsc.sc().statusTracker()
while len(status.getExecutorInfos()) < wanted:
    time.sleep(0.2)
# One stage of two tasks each.
for stage in range(2):
    (spark.range(0, rows, 1, 2).selectExpr('hash(cast(id as string))')
     .write.format('noop').mode('overwrite').save())
    time.sleep(3)
print('done', flush=True)
spark.stop()
