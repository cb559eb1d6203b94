# SPDX-License-Identifier: Apache-2.0
"""Asks an archive the questions of flame_archive.py: archive.py RUNS FOLDER
writes FOLDER/QUESTION, a line a row; and the same to FOLDER-date and
FOLDER-month, of RUNS-date and RUNS-month, into which it merges the files."""
import os
import sys

import flame_archive as fa
from pyspark.sql import SparkSession

spark = SparkSession.builder.master('local[2]').config(
    'spark.ui.enabled', False).config(
    'spark.driver.bindAddress', '127.0.0.1').config(
    'spark.sql.shuffle.partitions', 2).config(
    'spark.driver.memory', '768m').getOrCreate()


def write(name, rows):
    with open(name, 'w', encoding='utf-8') as out:
        for row in rows.collect():
            print(*['' if v is None else v for v in row], sep='\t', file=out)


def cost(name, rows):
    """Of all months, as flame-fold has them."""
    added = {}
    for month, query, value in rows.collect():
        query = '[no query]' if query is None else query
        added[query] = added.get(query, 0) + value
    with open(name, 'w', encoding='utf-8') as out:
        for query, value in added.items():
            print(query, value, sep='\t', file=out)


def ask(runs, folder):
    os.mkdir(folder)
    for metric in 'wall', 'samples':
        write(f'{folder}/top-{metric}', fa.top(runs, metric).select(
            'self', 'total', 'frame').orderBy('frame'))
        write(f'{folder}/date-{metric}', fa.by_date(runs, metric, 'main'))
        write(f'{folder}/stage-{metric}', fa.by_stage(runs, metric))
        write(f'{folder}/runs-{metric}', fa.totals(runs, metric))
    cost(f'{folder}/cost', fa.cost_by_query(runs))


folder, answers = sys.argv[1:]
ask(fa.read(spark, folder), answers)
if answers == 'added':
    for by in 'date', 'month':
        fa.compact(fa.read(spark, folder), f'{folder}-{by}', by)
        ask(fa.read(spark, f'{folder}-{by}'), f'{answers}-{by}')
spark.stop()
