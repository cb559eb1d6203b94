# SPDX-License-Identifier: Apache-2.0
# A Spark job in local mode whose Python functions spend 3 tenths of their CPU
# time in light() and 7 in heavy(): KIND is row, pandas or map (mapInPandas).
#
#	tower.py KIND WORKERS REUSE UNIX FOLDER [once]
#
# REUSE (of workers) and UNIX (sockets, of Spark 4.1 and later) are true or false.
# Says "ready" and its JVM's number, and runs queries until standard input ends;
# once: one query after a line, and says "done".
# Each worker has a file in FOLDER/rows, with the number of its rows in 8 bytes.
import mmap
import os
import select
import sys

from pyspark.sql import SparkSession
from pyspark.sql.functions import col, pandas_udf, udf
from pyspark.sql.types import LongType

kind, workers, reuse, unix, folder = sys.argv[1:6]
workers = int(workers)


def make_functions():
    # Here, so that they are sent to the workers by value.
    def spin(n):
        x = 0
        for i in range(n):
            x = (x * 31 + i) & 0xffffffff
        return x

    # Rows need from half a millisecond to some, or they would be in step with
    # the samples.
    def light(x):
        return spin(3 * (1000 + x * 7919 % 6000))

    def heavy(x):
        return spin(7 * (1000 + x * 7919 % 6000))

    def of_row(x):
        # Functions are new in each task, modules are the process's.  There is
        # no system call in a row: the kernel would switch to the recorder
        # there, which then reads where Python is.
        if 'rows' not in sys.__dict__:
            with open(f'{folder}/rows/{os.getpid()}', 'w+b') as file:
                file.write(bytes(8))
                file.flush()
                sys.rows = memoryview(mmap.mmap(file.fileno(), 8)).cast('Q')
        light(x)
        heavy(x)
        sys.rows[0] += 1
        return x

    return of_row


of_row = make_functions()
spark = (SparkSession.builder.master(f'local[{workers}]').appName('tower')
         .config('spark.ui.enabled', 'false')
         .config('spark.ui.showConsoleProgress', 'false')
         .config('spark.driver.host', '127.0.0.1')
         .config('spark.driver.bindAddress', '127.0.0.1')
         .config('spark.driver.memory', '768m')
         .config('spark.sql.adaptive.enabled', 'false')
         .config('spark.python.worker.reuse', reuse)
         .config('spark.python.unix.domain.socket.enabled', unix)
         .config('spark.sql.execution.arrow.maxRecordsPerBatch', '20')
         .config('spark.eventLog.enabled', 'true')
         .config('spark.eventLog.compress', 'false')
         .config('spark.eventLog.rolling.enabled', 'false')
         .config('spark.eventLog.dir', folder + '/log').getOrCreate())
spark.sparkContext.setLogLevel('ERROR')
jvm = spark.sparkContext._jvm.java.lang.ProcessHandle.current().pid()


def query(rows):
    data = spark.range(0, rows, 1, workers)
    if kind == 'row':
        return data.select(udf(of_row, LongType())(col('id')).alias('x'))
    if kind == 'pandas':
        return data.select(pandas_udf(lambda s: s.map(of_row), LongType())(
            col('id')).alias('x'))

    def of_batches(batches):
        for batch in batches:
            yield batch.assign(id=batch['id'].map(of_row))

    return data.mapInPandas(of_batches, 'id long')


query(workers).collect()
print('ready', jvm, flush=True)
if sys.argv[6:] == ['once']:
    sys.stdin.readline()
    query(1000 * workers).collect()
    print('done', flush=True)
    sys.stdin.read()
while not select.select([sys.stdin], [], [], 0)[0]:
    query(1000 * workers).collect()
spark.stop()
