# SPDX-License-Identifier: Apache-2.0
"""A Spark job of which each stage burns in a Java method of its own:

    spark-submit stages.py FILE

Four jobs at once share the executors, so tasks of different stages follow each
other on one core.  FILE gets a line "METHOD STAGE..." for each method; what
runs twice has two stages."""
import sys

from pyspark import InheritableThread
from pyspark.sql import SparkSession

ROWS = 'repeat(cast(id as string), %d)'
# A method that only this expression calls, rows a task, and the expression.
BURN = {
    'UTF8String.levenshteinDistance':
        (120, "levenshtein(%s, repeat('4321', 150))" % (ROWS % 150)),
    'UTF8String.reverse': (20000, 'reverse(%s)' % (ROWS % 300)),
    'NumberConverter': (500000, 'conv(id, 10, 36)'),
    'UTF8String.translate':
        (12000, "translate(%s, '123456', 'abcdef')" % (ROWS % 100)),
}
TASKS, ROUNDS = 6, 2


def burn(spark, method):
    rows, what = BURN[method]
    spark.sparkContext.setJobGroup(method, method)
    for _ in range(ROUNDS):
        (spark.range(0, rows * TASKS, 1, TASKS)
         .selectExpr('cast(%s as string) as x' % what)
         .filter("x = 'none'").collect())


def main():
    spark = SparkSession.builder.appName('stages').getOrCreate()
    spark.sparkContext.setLogLevel('ERROR')
    threads = [InheritableThread(target=burn, args=(spark, method))
               for method in BURN]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    tracker = spark.sparkContext.statusTracker()
    with open(sys.argv[1], 'w', encoding='ascii') as out:
        for method in BURN:
            stages = [stage for job in tracker.getJobIdsForGroup(method)
                      for stage in tracker.getJobInfo(job).stageIds]
            print(method, *sorted(stages), file=out)
    spark.stop()


if __name__ == '__main__':
    main()
