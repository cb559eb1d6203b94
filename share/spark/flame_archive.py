# SPDX-License-Identifier: Apache-2.0
"""Questions about an archive of flame-batch, asked where the files are:

    spark-submit --py-files flame_archive.py ...
    import flame_archive as fa
    runs = fa.read(spark, "hdfs:///runs").where("`app-name` = 'etl'")
    fa.top(runs, "cpu").show()
    fa.by_date(runs, "cpu", "Job.run").show()
    fa.by_stage(runs, "cpu").show()
    fa.cost_by_query(runs).show()
    fa.totals(runs, "cpu").show()
    fa.compact(runs, "hdfs:///runs-by-month", "month")

The first argument are rows of read(), the result is a DataFrame of sums that
are those of flame-top on the same files.  Nodes are numbered in each file
for itself, so a file is one group: its rows meet in one task.  Spark 3.5 and 4,
no other Python package.
"""
from collections import defaultdict

RUN = ["app-name", "date", "app"]


def read(spark, folder):
    """All rows of an archive, with the file that each is from."""
    from pyspark.sql import functions as F
    rows = spark.read.option("mergeSchema", True).parquet(folder)
    if "day" in rows.columns:   # date is a month where dates were merged
        rows = rows.withColumn("date", F.coalesce(
            "day", F.col("date").cast("string")))
    return rows.withColumn("file", F.col("_metadata.file_path"))


class File:
    """The rows of one file: nodes, and the values of one metric."""

    def __init__(self, rows, metric):
        self.parent, self.frame, self.values = {}, {}, []
        self.failed = []    # as values, of the log's jobs
        for node, parent, frame, name, value, *labels in rows:
            if frame is not None:
                self.parent[node], self.frame[node] = parent, frame
            elif name == metric:
                self.values.append((node, value, labels))
            if name == "failed":
                self.failed.append((node, value, labels))

    def stack(self, node):
        """The frames of a stack, the leaf first."""
        while node:
            yield self.frame[node]
            node = self.parent[node]


def sums(rows, metric, labels, each, names):
    """Adds up the pairs (key, weights) that each(file) yields."""
    fields = ["file", "node", "parent", "frame", "metric", "value"] + [
        name for name in labels if name in rows.columns]
    absent = [name not in rows.columns for name in labels]

    def widen(row):
        rest = iter(row[6:])
        return row[0], tuple(row[1:6]) + tuple(
            None if lacks else next(rest) for lacks in absent)

    def fold(item):
        yield from each(File(item[1], metric))

    added = rows.select(*["`%s`" % field for field in fields]).rdd.map(
        widen).groupByKey().flatMap(fold).reduceByKey(
        lambda a, b: tuple(x + y for x, y in zip(a, b)))
    keys = [name for name, kind in names if kind == "string"]
    schema = ", ".join("`%s` %s" % name for name in names)
    frame = added.map(lambda item: item[0] + item[1])
    session = rows.sparkSession
    return session.createDataFrame(frame, schema).orderBy(
        *["`%s`" % key for key in keys])


def text(value):
    return None if value is None else str(value)


def top(rows, metric):
    """Frames by what they weigh themselves and with what they call."""
    def each(file):
        weights = defaultdict(lambda: [0, 0])
        for node, value, _ in file.values:
            stack = list(file.stack(node))
            if stack:
                weights[stack[0]][0] += value
            for frame in set(stack):
                weights[frame][1] += value
        for frame, pair in weights.items():
            yield (frame,), tuple(pair)
    return sums(rows, metric, [], each, [
        ("frame", "string"), ("self", "long"), ("total", "long")]).orderBy(
        "self", "total", ascending=False)


def by_date(rows, metric, frame):
    """A frame, with what it calls, by day."""
    def each(file):
        for node, value, (date,) in file.values:
            if frame in file.stack(node):
                yield (text(date),), (value,)
    return sums(rows, metric, ["date"], each, [
        ("date", "string"), ("total", "long")])


def by_stage(rows, metric):
    """Frames themselves in each stage."""
    def each(file):
        for node, value, (stage,) in file.values:
            yield (text(stage), file.frame.get(node)), (value,)
    return sums(rows, metric, ["stage-name"], each, [
        ("stage-name", "string"), ("frame", "string"), ("self", "long")])


def cost_by_query(rows):
    """Core-microseconds of queries by month."""
    def each(file):
        for _, value, (date, query) in file.values:
            yield (text(date)[:7] if date else None, text(query)), (value,)
    return sums(rows, "cost", ["date", "query"], each, [
        ("month", "string"), ("query", "string"), ("core-us", "long")])


def totals(rows, metric):
    """A row for each run; a log without its end is a job that failed."""
    def each(file):
        for _, value, run in file.values:
            yield tuple(text(label) for label in run), (value, 0)
        for _, value, run in file.failed:
            yield tuple(text(label) for label in run), (0, value)
    return sums(rows, metric, RUN, each, [
        (name, "string") for name in RUN] + [
        ("total", "long"), ("failed-jobs", "long")])


# Merging -------------------------------------------------------------------

FIXED = ["metric", "unit", "value", "node", "parent", "frame", "type"]


def number(children):
    """The numbers of nodes in preorder, siblings by their text."""
    numbers, open_nodes = {}, [0]
    while open_nodes:
        node = open_nodes.pop()
        numbers[node] = len(numbers)
        below = sorted(children.get(node, ()), reverse=True)
        open_nodes += [child for _, _, child in below]
    return numbers


def merge(rows):
    """Rows (file, those of FIXED, labels) of several files as those of one."""
    rows = sorted(rows, key=lambda row: row[4] or 0)   # parents come first
    ids, children, sums = {}, defaultdict(list), defaultdict(int)
    local = defaultdict(int)    # (file, node) to one of ids
    width = len(rows[0]) - 1 - len(FIXED)
    for file, _, _, _, node, parent, frame, kind, *_ in rows:
        if frame is None:
            continue
        key = local[file, parent or 0], frame, kind or ""
        if key not in ids:
            ids[key] = len(ids) + 1
            children[key[0]].append((frame, key[2], ids[key]))
        local[file, node] = ids[key]
    numbers = number(children)
    for file, metric, unit, value, node, _, frame, _, *labels in rows:
        if frame is None:
            at = numbers[local[file, node or 0]]
            sums[(metric, unit, at) + tuple(labels)] += value
    for (parent, frame, kind), node in ids.items():
        yield (None, None, None, numbers[node], numbers[parent], frame,
               kind or None) + (None,) * width
    for (metric, unit, node, *labels), value in sums.items():
        yield (metric, unit, value, node, None, None, None) + tuple(labels)


def compact(rows, folder, by="date"):
    """Writes an archive to another folder: a file for each application and
    date, or month.  Spark, DuckDB, pandas and polars read it; flame-batch
    --compact writes those that flame-top reads."""
    from pyspark.sql import functions as F
    if by not in ("date", "month"):
        raise ValueError("by: date or month, not " + by)
    date = F.col("date").cast("string")
    if by == "month":
        if "day" not in rows.columns:
            rows = rows.withColumn("day", date)
        date = F.substring(date, 1, 7)
    rows = rows.withColumn("date", date)
    parts = ["app-name", "date"]
    fields = FIXED + [name for name in rows.columns
                      if name not in FIXED + parts + ["file"]]
    chosen = rows.select(*["`%s`" % name for name in parts + fields])
    merged = rows.select(
        *["`%s`" % name for name in parts + ["file"] + fields]).rdd.map(
        lambda row: (tuple(row[:2]), tuple(row[2:]))).groupByKey().flatMap(
        lambda item: (item[0] + row for row in merge(item[1])))
    rows.sparkSession.createDataFrame(merged, chosen.schema).write.option(
        "compression", "zstd").partitionBy(*parts).parquet(folder)
