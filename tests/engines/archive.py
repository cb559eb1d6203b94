# SPDX-License-Identifier: Apache-2.0
"""Asks an archive the questions of flame_archive.py: archive.py RUNS FOLDER
writes FOLDER/QUESTION, a line a row."""
import os
import sys

import flame_archive as fa
from pyspark.sql import SparkSession

spark = SparkSession.builder.master('local[2]').config(
    'spark.ui.enabled', False).config(
    'spark.driver.bindAddress', '127.0.0.1').config(
    'spark.sql.shuffle.partitions', 2).config(
    'spark.driver.memory', '768m').getOrCreate()
runs = fa.read(spark, sys.argv[1])
os.mkdir(sys.argv[2])


def write(name, rows):
    with open(os.path.join(sys.argv[2], name), 'w', encoding='utf-8') as out:
        for row in rows.collect():
            print(*['' if v is None else v for v in row], sep='\t', file=out)


def cost(rows):
    """Of all months, as flame-fold has them."""
    added = {}
    for month, query, value in rows.collect():
        query = '[no query]' if query is None else query
        added[query] = added.get(query, 0) + value
    with open(os.path.join(sys.argv[2], 'cost'), 'w',
              encoding='utf-8') as out:
        for query, value in added.items():
            print(query, value, sep='\t', file=out)


for metric in 'wall', 'samples':
    top = fa.top(runs, metric).select('self', 'total', 'frame')
    write('top-' + metric, top)
    write('date-' + metric, fa.by_date(runs, metric, 'main'))
    write('stage-' + metric, fa.by_stage(runs, metric))
    write('runs-' + metric, fa.totals(runs, metric))
cost(fa.cost_by_query(runs))
spark.stop()
