# SPDX-License-Identifier: Apache-2.0
"""Our Parquet as other programs read it, as folded text:
parquet.py duckdb|pyarrow|pandas|polars FILE; or of an archive, a folder, a line
"app-name;date SUM" for each day."""
import os
import sys

DAYS = ['app-name', 'date', 'value']
COLUMNS = ['node', 'parent', 'frame', 'type', 'value']


def duckdb(path):
    import duckdb as db

    return db.execute(f'select {",".join(COLUMNS)} from read_parquet(?)',
                      [path]).fetchall()


def pyarrow(path):
    import pyarrow.parquet as pq

    table = pq.read_table(path, columns=COLUMNS).to_pydict()
    return zip(*(table[c] for c in COLUMNS))


def pandas(path):
    import pandas as pd

    table = pd.read_parquet(path, dtype_backend='pyarrow')
    return ([None if v is pd.NA else v for v in row]
            for row in table[COLUMNS].astype(object).values.tolist())


def polars(path):
    import polars as pl

    return pl.read_parquet(path).select(COLUMNS).rows()


def duckdb_archive(path):
    import duckdb as db

    return db.execute('select "app-name", date, value from read_parquet(?, '
                      'hive_partitioning=true)',
                      [path + '/*/*/*.parquet']).fetchall()


def pyarrow_archive(path):
    import pyarrow.parquet as pq

    table = pq.read_table(path, columns=DAYS).to_pydict()
    return zip(*(table[c] for c in DAYS))


def pandas_archive(path):
    import pandas as pd

    table = pd.read_parquet(path, dtype_backend='pyarrow')
    return ([None if v is pd.NA else v for v in row]
            for row in table[DAYS].astype(object).values.tolist())


def polars_archive(path):
    import polars as pl

    return pl.read_parquet(path + '/*/*/*.parquet',
                           hive_partitioning=True).select(DAYS).rows()


if os.path.isdir(sys.argv[2]):
    sums = {}
    for name, date, value in globals()[sys.argv[1] + '_archive'](sys.argv[2]):
        if value is not None:
            key = '%s;%s' % (name, date)
            sums[key] = sums.get(key, 0) + value
    for key, value in sums.items():
        print(key, value)
    sys.exit()

names = {0: ''}
for node, parent, frame, kind, value in globals()[sys.argv[1]](sys.argv[2]):
    if value is None:
        frame = ''.join(' ' if ord(c) < 32 or ord(c) == 127 else c
                        for c in frame.replace(';', ':'))
        frame += f'_[{kind}]' if kind else ''
        names[node] = (names[parent] + ';' if parent else '') + frame
    else:
        print(names[node], value)
