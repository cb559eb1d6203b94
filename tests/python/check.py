# SPDX-License-Identifier: Apache-2.0
"""Says as TAP what flame makes of small profiles."""

import gzip
import os
import subprocess
import tempfile
import warnings

import flame

RECORDING = os.path.join(os.environ["TOP"], "tests/data/jfr/spark-cpu-wall.jfr")
# What the README beside it and "jfr summary" count.
METRICS = {"cpu": (602, "samples", None), "wall": (18646, "ns", None)}
count = 0


def check(name, seen, wanted):
    global count
    count += 1
    good = seen == wanted
    print("%sok %d - %s" % ("" if good else "not ", count, name))
    if not good:
        print("#   %r, not %r" % (seen, wanted))


def tool(*command):
    path = os.path.join(os.environ["BUILD"], "tools", command[0])
    return subprocess.run([path, *command[1:]], check=True,
                          stdout=subprocess.PIPE).stdout.decode()


def error_of(function, *args, **more):
    try:
        function(*args, **more)
    except flame.Error as error:
        return str(error)
    return None


with tempfile.TemporaryDirectory(prefix="flame päge ") as folder:
    one, two = (os.path.join(folder, name) for name in ("one", "two.gz"))
    with open(one, "w", encoding="utf-8") as file:
        file.write("main;λ 3\nmain;b;c 4\n")
    with gzip.open(two, "wt", encoding="utf-8") as file:
        file.write("main;b;c 5\n")
    check("stacks are a dict", flame.fold(one), {"main;λ": 3, "main;b;c": 4})
    check("several are added up", flame.fold(one, two),
          {"main;λ": 3, "main;b;c": 9})
    check("filters are keywords", flame.fold(one, root="b"), {"b;c": 4})
    check("also flags", flame.fold(one, no_tiers=True, hide="b"),
          {"main;λ": 3, "main;c": 4})
    check("a list is several", flame.fold([one, two]),
          {"main;λ": 3, "main;b;c": 9})
    three = os.path.join(folder, "three")
    with open(three, "w", encoding="utf-8") as file:
        file.write("main;x/A$$Lambda$9/0x7f81.run 2\n"
                   "main;x/A$$Lambda$7/0x7f80.run 1\nmain;old;b 4\n")
    check("classes of several JVMs are one",
          sorted(flame.fold(three).values()), [3, 4])
    check("unless names are raw",
          sorted(flame.fold(three, raw_names=True).values()), [1, 2, 4])
    # --rename runs before --keep.
    wanted = {"main;new;b": 4}
    check("filters run in the tools' order",
          [flame.fold(three, keep="new", rename="s/old/new/"),
           flame.fold(three, rename="s/old/new/", keep="new")],
          [wanted, wanted])
    check("expressions of a list are or", flame.fold(one, keep=["λ", "c"]),
          {"main;λ": 3, "main;b;c": 4})
    two_metrics = flame.metrics(RECORDING)
    check("metrics are those of the recording",
          {name: (one["samples"], one["unit"], one["threads"])
           for name, one in two_metrics.items()}, METRICS)
    check("a metric that is not there is reported with those that are",
          error_of(flame.fold, RECORDING, event="cpuu"),
          "nothing was selected by event=cpuu (did you mean cpu?); "
          "there is " + ", ".join("%s %d" % (name, one[0])
                                  for name, one in METRICS.items()))
    check("so is a frame",
          [error_of(flame.fold, one, root="mein"),
           error_of(flame.fold, one, no_tiers=True, keep="xyzzy")],
          ["nothing was selected by root=mein (did you mean main?)",
           "nothing was selected by keep=xyzzy; there is main, b, c, \u03bb"])
    check("and a label, in comparisons too",
          error_of(flame.diff, [one, two], [one, two], label="file=x"),
          "nothing was selected by label=file=x; there is one, two.gz")
    check("options of reading are keywords",
          [sum(flame.fold(RECORDING, event="cpu", state="ne").values())
           if error_of(flame.fold, RECORDING, state="ne") is None else "said",
           error_of(flame.fold, one, from_="nettle") is not None],
          ["said", True])
    tabs = flame.page(RECORDING, events="all").html
    check("a page of all events is the tools'", tabs,
          tool("flame-graph", "-f", "html", "--events", "all", RECORDING))
    compared = flame.diff([one, two], one, normalize=True)
    # 12 before, 7 after: c ran for 9 * 7 / 12 = 5.25, rounded to 5, and 4.
    check("a comparison has its frames",
          [compared.html.startswith("<!DOCTYPE html>"), compared.frames[0]],
          [True, {"frame": "c", "self": (5, 4), "total": (5, 4)}])
    about = flame.info(RECORDING)
    check("facts of an input",
          [about[0]["path"], about[0]["format"], about[0]["bytes"],
           about[0]["metrics"]],
          [RECORDING, "jfr", os.path.getsize(RECORDING), two_metrics])
    page = flame.page(one, title="A <title>", height=300)
    check("a page is one", page.html.startswith("<!DOCTYPE html>"), True)
    check("and has its title",
          "<title>A &lt;title></title>" in page.html or
          "<title>A &lt;title&gt;</title>" in page.html, True)
    shown = page._repr_html_()
    check("notebooks show it in a frame of its own",
          [shown.startswith("<iframe sandbox="), "height: 300px" in shown,
           "<!DOCTYPE" in shown], [True, True, False])
    saved = os.path.join(folder, "page.html")
    page.save(saved)
    check("a page is read again", flame.fold(saved), flame.fold(one))
    check("other formats are bytes",
          flame.write(one, format="svg").startswith(b"<?xml"), True)
    check("an error is reported", "No such file" in
          error_of(flame.fold, os.path.join(folder, "no")), True)
    def kind_of(function, *args, **more):
        try:
            function(*args, **more)
        except Exception as error:
            return type(error).__name__, getattr(error, "errno", None)
        return None

    check("as an error of the system's, which it is",
          [kind_of(flame.fold, os.path.join(folder, "no")),
           kind_of(flame.fold, folder + "/one/below"),
           issubclass(flame.FileError, (flame.Error, OSError))],
          [("FileError", 2), ("FileError", 20), True])
    check("a path or text that is none is an error of its type",
          [kind_of(flame.fold, wrong) for wrong in
           (None, 5, 1.5, "a\0b", b"a\0b", [one, None], object())],
          [("TypeError", None)] * 3 + [("ValueError", None)] * 2 +
          [("TypeError", None)] * 2)
    check("so is one of an option",
          [kind_of(flame.fold, one, **{name: "a\0b"}) for name in
           ("root", "event", "hide", "label", "from_")] +
          [kind_of(flame.page, one, title="a\0b"),
           kind_of(flame.write, one, format="a\0b"),
           kind_of(flame.write, one, format=None)],
          [("ValueError", None)] * 7 + [("Error", None)])
    check("an unknown format, too", "nettle" in
          error_of(flame.write, one, format="nettle"), True)
    check("and a filter", "nettle" in error_of(flame.fold, one, nettle="x"),
          True)
    check("no input is one", error_of(flame.fold),
          "no input: name a profile")
    check("a list is several filters",
          flame.fold(one, hide=["b", "λ"], keep=None, no_tiers=False),
          {"main": 3, "main;c": 4})
    bad = os.path.join(folder, "bad")
    with open(bad, "wb") as file:
        file.write(bytes(range(256)) * 9)
    check("a file that is not a profile is reported by name",
          [bad in error_of(flame.page, bad),
           "libflame-formats(5)" in error_of(flame.page, bad)], [True, True])
    check("that nothing is selected, too",
          error_of(flame.fold, one, root="nettle") is not None, True)
    recording = RECORDING
    cut = os.path.join(folder, "cut.jfr")
    with open(recording, "rb") as whole, open(cut, "wb") as file:
        file.write(whole.read() * 2)
        file.truncate(os.path.getsize(recording) + 5000)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        check("of a damaged file whole records are read",
              flame.fold(cut), flame.fold(recording))
    check("with a warning", [cut in str(one.message) for one in said], [True])
    # What a frame of any kind is asked for.
    class Frame:
        def __init__(self, **columns):
            self.columns = list(columns)
            self.rows = list(zip(*columns.values()))

        def iter_rows(self):
            return iter(self.rows)

    nan = float("nan")
    samples = Frame(stack=["main;a", "main;b", ["main", "c;d"]],
                    weight=[2, 3, 5], stage=[7.0, nan, 8.0],
                    labels=[None, {"thread": "x"}, {}])
    check("a frame of samples is an input", flame.fold(samples),
          {"main;a": 2, "main;b": 3, "main;c:d": 5})
    check("its columns are labels",
          [flame.fold(samples, label="stage=7"),
           flame.fold(samples, label="thread=x")],
          [{"main;a": 2}, {"main;b": 3}])
    check("its sums are those of a page",
          [flame.page(samples).html.startswith("<!DOCTYPE html>"),
           flame.metrics(samples)["samples"]["samples"]], [True, 10])
    check("rows without a weight are one each",
          flame.fold(Frame(stack=["a;b", "a;b", "c"])), {"a;b": 2, "c": 1})
    check("frames and files are compared",
          flame.diff(Frame(stack=["main;b;c"], weight=[1]), one).frames[0],
          {"frame": "c", "self": (1, 4), "total": (1, 4)})
    check("what is not a frame of samples is reported",
          [error_of(flame.fold, Frame(frames=["a"], n=[1])),
           error_of(flame.fold, Frame(stack=[])),
           error_of(flame.fold, Frame(stack=["a"], weight=[None])),
           error_of(flame.fold, Frame(stack=["a"], value=[1])),
           error_of(flame.frame, one, library="numpy")],
          ["a frame of samples needs a column stack; there is frames, n",
           "a frame of samples has no row", "a row has no weight: a",
           "value cannot name a label",
           "a frame is of pandas, polars or pyarrow, not of numpy"])
    # Columns as everybody can have them, without a library; a text that is not
    # UTF-8, a row without the label, and money, which is real.
    hostile = os.path.join(folder, "hostile.tsv")
    with open(hostile, "wb") as file:
        file.write(b"metric\tunit\tvalue\tzone\tstack\n"
                   b"cpu\tsamples\t3\ta\xff\tmain;b\xfe\n"
                   b"cpu\tsamples\t4\t\tmain\n")
    columns = flame._write([hostile], lambda run: run.columns(True), None, {},
                           False)[0].lists()
    check("columns have what is there",
          columns, {"stack": ["main", "main;b\ufffd"], "weight": [4, 3],
                    "metric": ["cpu"] * 2, "unit": ["samples"] * 2,
                    "zone": [None, "a\ufffd"]})
    columns = flame._write([RECORDING], lambda run: run.columns(False), "cpu",
                           {}, False)[0].lists()
    check("or stacks alone, with the sums of fold",
          dict(zip(columns["stack"], columns["weight"])),
          flame.fold(RECORDING, event="cpu"))
    for library in ("pandas", "polars", "pyarrow"):
        try:
            __import__(library)
        except ImportError:
            for name in ("", " with labels", " chosen"):
                count += 1
                print("ok %d - a frame of %s%s # SKIP no %s" %
                      (count, library, name, library))
            continue

        def column(table, name):
            values = table[name]
            return values.to_pylist() if library == "pyarrow" else \
                list(values)

        table = flame.frame(one, library=library)
        check("a frame of %s" % library,
              [dict(zip(column(table, "stack"), column(table, "weight"))),
               flame.fold(table)], [flame.fold(one)] * 2)
        table = flame.frame(RECORDING, event="cpu", labels=True,
                            library=library)
        check("a frame of %s with labels" % library,
              [sum(column(table, "weight")), flame.fold(table),
               flame.fold(table, by="thread")],
              [METRICS["cpu"][0], flame.fold(RECORDING, event="cpu"),
               flame.fold(RECORDING, event="cpu", by="thread")])
        table = flame.frame(RECORDING, event="cpu", labels=["thread"],
                            library=library)
        check("a frame of %s chosen" % library,
              [list(getattr(table, "column_names", table.columns)),
               sum(column(table, "weight")),
               error_of(flame.frame, RECORDING, event="cpu", labels="nettle",
                        library=library)],
              [["stack", "weight", "metric", "unit", "thread"],
               METRICS["cpu"][0],
               "no sample has the label nettle; there is state, thread, tid"])
    try:
        import duckdb
        import pyarrow
    except ImportError:
        count += 1
        print("ok %d - DuckDB asks a table # SKIP no duckdb, no pyarrow" %
              count)
    else:
        samples = flame.frame(RECORDING, event="cpu", labels=True,
                              library="pyarrow")
        check("DuckDB asks a table", dict(duckdb.sql(
            "select 'all', sum(weight)::bigint from samples").fetchall()),
            {"all": METRICS["cpu"][0]})
print("1..%d" % count)
