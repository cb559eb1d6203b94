# SPDX-License-Identifier: Apache-2.0
# Two endless tasks of Spark in local mode, until standard input ends.  Says
# where its threads are to be had first.
import sys
import threading

from pyspark.sql import SparkSession

spark = (SparkSession.builder.master('local[2]').appName('live')
         .config('spark.ui.port', '0')
         .config('spark.ui.showConsoleProgress', 'false')
         .config('spark.driver.bindAddress', '127.0.0.1')
         .config('spark.driver.host', '127.0.0.1')
         .config('spark.driver.memory', '768m').getOrCreate())
spark.sparkContext.setLogLevel('ERROR')


def run():
    (spark.range(0, 1 << 50, 1, 2)
     .selectExpr('max(hash(cast(id as string)))').collect())


threading.Thread(target=run, daemon=True).start()
port = spark.sparkContext.uiWebUrl.rsplit(':', 1)[1].strip('/')
print(f'http://127.0.0.1:{port}/api/v1/applications/'
      f'{spark.sparkContext.applicationId}/executors/driver/threads', flush=True)
sys.stdin.read()
spark.sparkContext.cancelAllJobs()
