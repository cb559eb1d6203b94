# SPDX-License-Identifier: Apache-2.0
"""Our Parquet as other programs read it, as folded text:
parquet.py duckdb|pyarrow|pandas|polars FILE."""
import sys

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


names = {0: ''}
for node, parent, frame, kind, value in globals()[sys.argv[1]](sys.argv[2]):
    if value is None:
        frame = ''.join(' ' if ord(c) < 32 or ord(c) == 127 else c
                        for c in frame.replace(';', ':'))
        frame += f'_[{kind}]' if kind else ''
        names[node] = (names[parent] + ';' if parent else '') + frame
    else:
        print(names[node], value)
