# SPDX-License-Identifier: Apache-2.0
"""Flame graphs of any profile, in Python and in notebooks.

    import flame
    flame.page("app.jfr")                       # shows in a notebook
    flame.page("a.jfr", "b.jfr", root="TaskRunner.run").save("tasks.html")
    flame.page("app.jfr", events="all")         # a tab for each metric
    flame.fold("app.jfr", event="cpu")          # {"main;run": 12, ...}
    flame.diff("old.jfr", "new.jfr", normalize=True)
    flame.metrics("app.jfr")                    # {"cpu": {...}, "wall": ...}

    flame.frame("app.jfr", labels=True)         # samples for pandas, polars
    flame.page(samples)                         # and a frame of them as input

A wrapper of libflamegraph by ctypes.  A wheel for this system has the library
and the tools ("python -m flame" runs them); without one, copy this folder, add
the folder that it is in to PYTHONPATH, or "pip install" that.
FLAME_LIBRARY names the library where it is neither here nor where the loader
looks.

What a tool refuses is an Error, with its message, which is an OSError too where
a file cannot be opened; an argument of a wrong type is a TypeError, and a text
with a NUL a ValueError.  What it warns of (damage from which whole records were
read) is a warning of Python's.

Options are those of the tools, in the tools' order whatever order they are
given in: root="TaskRunner.run", keep="spark", hide=["lambda", "proxy"],
no_tiers=True, total=True, from_="10s" (a keyword of Python has a "_").  A
list of paths is as many inputs.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import html
import os
import re
import warnings
from typing import Any, Dict, List, Mapping, Optional, Tuple, Union

from . import frames as _frames

__all__ = ["Diff", "Error", "FileError", "Page", "diff", "fold", "frame", "info",
           "metrics", "page", "write"]

_WRITE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p,
                          ctypes.POINTER(ctypes.c_char), ctypes.c_size_t)
_WARN = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p)
_library = None

# What an input may be: a file's name or URL, a frame of samples (frames.py), or
# a list of these.
Input = Union[str, bytes, "os.PathLike[str]", List[Any], Tuple[Any, ...], Any]


class _Row(ctypes.Structure):
    """struct flame_row."""

    _fields_ = [("kind", ctypes.c_uint), ("name", ctypes.c_char_p),
                ("argument", ctypes.c_char_p), ("summary", ctypes.c_char_p),
                ("rank", ctypes.c_int), ("joins", ctypes.c_int),
                ("hidden", ctypes.c_int)]


class _Metric(ctypes.Structure):
    """struct flame_metric."""

    _fields_ = [("name", ctypes.c_char_p), ("unit", ctypes.c_char_p),
                ("weight", ctypes.c_char_p), ("samples", ctypes.c_uint64),
                ("no_stack", ctypes.c_uint64), ("total", ctypes.c_int64),
                ("first", ctypes.c_int64), ("last", ctypes.c_int64),
                ("threads", ctypes.c_uint64)]


class _Fact(ctypes.Structure):
    """struct flame_fact."""

    _fields_ = [("key", ctypes.c_char_p), ("value", ctypes.c_char_p)]


class _Rank(ctypes.Structure):
    """struct flame_rank."""

    _fields_ = [("name", ctypes.c_uint32), ("self", ctypes.c_int64 * 2),
                ("total", ctypes.c_int64 * 2)]


_NAMES, _NO_TIME = 0, -2 ** 63
_VERSION = "0.1.0"


class Error(Exception):
    """What the library says of an input or an option."""


class FileError(Error, OSError):
    """Of a file that cannot be opened: an OSError too, with its errno."""

    def __init__(self, text: str, *reason: Any) -> None:
        super().__init__(*reason)
        self.text = text

    def __new__(cls, text: str, *reason: Any) -> FileError:
        return OSError.__new__(cls, *reason)

    def __str__(self) -> str:
        return self.text


def _path():
    """The library: as set, the wheel's own, or the system's."""
    own = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                       "libflamegraph.so.0")
    return os.environ.get("FLAME_LIBRARY") or \
        (own if os.path.exists(own) else None) or \
        ctypes.util.find_library("flamegraph") or "libflamegraph.so.0"


def _load():
    global _library
    if _library:
        return _library
    try:
        lib = ctypes.CDLL(_path())
    except OSError as error:
        raise Error("libflamegraph is not found; install the wheel for this "
                    "system or the package libflamegraph0, or name the "
                    "library by FLAME_LIBRARY=FILE: %s" % error) from error
    pointer, text = ctypes.c_void_p, ctypes.c_char_p
    number, status = ctypes.c_uint, ctypes.c_int
    size = ctypes.POINTER(ctypes.c_size_t)
    for name, result, *arguments in (
            ("flame_new", pointer),
            ("flame_free", None, pointer),
            ("flame_error", text, pointer),
            ("flame_on_warning", None, pointer, _WARN, pointer),
            ("flame_refuse_empty", None, pointer, ctypes.c_bool),
            ("flame_refused_empty", ctypes.c_bool, pointer),
            ("flame_unify_java", None, pointer, ctypes.c_bool),
            ("flame_demangle", None, pointer, ctypes.c_bool),
            ("flame_rows", status, number, number,
             ctypes.POINTER(_Row)),
            ("flame_nearest", text, text, ctypes.POINTER(text),
             ctypes.c_size_t),
            ("flame_name_text", text, pointer, ctypes.c_uint32, pointer),
            ("flame_metrics", number, pointer),
            ("flame_metric_of", ctypes.POINTER(_Metric), pointer, number),
            ("flame_open", pointer, pointer, text, text),
            ("flame_open_memory", pointer, pointer, text, ctypes.c_size_t,
             text, text),
            ("flame_ask", status, pointer, text, text),
            ("flame_close", None, pointer),
            ("flame_source_format", text, pointer),
            ("flame_source_bytes", ctypes.c_uint64, pointer),
            ("flame_facts", ctypes.c_size_t, pointer,
             ctypes.POINTER(ctypes.POINTER(_Fact))),
            ("flame_create_callback", pointer, pointer, text, _WRITE,
             pointer),
            ("flame_create_columns", pointer, pointer, ctypes.c_bool,
             ctypes.POINTER(_frames.ArrowSchema),
             ctypes.POINTER(_frames.ArrowArray)),
            ("flame_filter", pointer, pointer, text, text),
            ("flame_pick", pointer, pointer, text),
            ("flame_set", status, pointer, text, text),
            ("flame_pump", status, pointer, pointer),
            ("flame_finish", status, pointer),
            ("flame_abandon", None, pointer),
            ("flame_tree_new", pointer, pointer, number),
            ("flame_tree_sink", pointer, pointer, number),
            ("flame_tree_write", status, pointer, pointer),
            ("flame_tree_total", ctypes.c_int64, pointer, number),
            ("flame_tree_scale", None, pointer, number, ctypes.c_int64),
            ("flame_tree_rank", status, pointer, status, text,
             ctypes.POINTER(ctypes.POINTER(_Rank)), size),
            ("flame_tree_free", None, pointer)):
        function = getattr(lib, name)
        function.restype, function.argtypes = result, arguments
    # Some of these are of this version alone: see FLAME_UNSTABLE in flame.h.
    found = getattr(lib, "flame_version", None)
    if found:
        found.restype = text
    if not found or found().decode() != _VERSION:
        raise Error("%s is libflamegraph %s, and this module is of %s" % (
            _path(), found().decode() if found else "of no version", _VERSION))
    _library = lib
    return lib


def _bytes(value):
    if value is None or value is True:
        return None
    if not isinstance(value, (str, bytes, os.PathLike)):
        value = str(value)
    value = os.fsencode(value)
    if b"\0" in value:     # C would read what is before it
        raise ValueError("embedded null byte")
    return value


def _rows(lib, kinds):
    """The rows of tables of options by name."""
    rows = {}
    for kind in kinds:
        number, row = 0, _Row()
        while lib.flame_rows(ord(kind), number, ctypes.byref(row)):
            rows.setdefault(os.fsdecode(row.name), row)
            number, row = number + 1, _Row()
    return rows


class _Options:
    """What is asked of inputs, the filters, and what is set of outputs."""

    def __init__(self, lib, given):
        rows = _rows(lib, "sdfwp")
        self.asks, self.filters, self.sets = [], [], []
        for name, value in given.items():
            name = name.rstrip("_").replace("_", "-")
            row = rows.get(name)
            kind = chr(row.kind) if row else "f"
            several = [one for one in (value if isinstance(
                value, (list, tuple)) else [value])
                if one is not None and one is not False]
            if row and row.joins and len(several) > 1:
                several = [b"\n".join(map(_bytes, several))]
            for one in several:
                if kind == "f":
                    self.filters.append((row.rank if row else 0, name, one))
                else:
                    (self.asks if kind in "sd" else
                     self.sets).append((name, one))
        self.filters.sort(key=lambda one: one[0])
        self.filters = [one[1:] for one in self.filters]


class _Samples:
    """A frame of pandas or polars as the table that the library reads."""

    def __init__(self, frame):
        try:
            self.table = _frames.to_bytes(frame)
        except ValueError as error:
            raise Error(str(error)) from None

    def __str__(self):
        return "frame"


def _paths(paths):
    """A list is as many inputs."""
    for path in paths:
        if _frames.is_frame(path):
            yield _Samples(path)
        elif isinstance(path, (list, tuple, set)) or hasattr(path, "__next__"):
            yield from _paths(path)
        else:
            yield path


def _inputs(*paths):
    found = list(_paths(paths))
    if not found:
        raise Error("no input: name a profile")
    return found


class _Run:
    """Inputs through filters into a writer, whose bytes are stored."""

    def __init__(self, raw_names=False, refuse_empty=True):
        self.lib = _load()
        self.flame = self.lib.flame_new()
        self.sinks, self.tree = [], None
        self.parts = []
        self.warned = []
        if not self.flame:
            raise MemoryError
        self.on_warning = _WARN(
            lambda _, line: self.warned.append(os.fsdecode(line)))
        self.lib.flame_on_warning(self.flame, self.on_warning, None)
        self.lib.flame_refuse_empty(self.flame, refuse_empty)
        self.lib.flame_unify_java(self.flame, not raw_names)
        self.lib.flame_demangle(self.flame, True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for sink in self.sinks:
            self.lib.flame_abandon(sink)
        self.lib.flame_tree_free(self.tree)
        self.lib.flame_free(self.flame)
        for line in self.warned:
            warnings.warn(line, stacklevel=4)

    def fail(self):
        text = self.lib.flame_error(self.flame) or b""
        raise Error(os.fsdecode(text) or "the library refused this")

    def fail_to_open(self, name):
        """By an error of the system's, where the file is the reason."""
        if b"://" not in name and name != b"-":
            try:
                os.close(os.open(name, os.O_RDONLY | os.O_NONBLOCK))
            except OSError as error:
                raise FileError(os.fsdecode(self.lib.flame_error(self.flame)),
                                error.errno, error.strerror,
                                os.fsdecode(name)) from None
        self.fail()

    def check(self, value):
        return value or self.fail()

    def done(self, status):
        if status != 0:
            self.fail()

    def keep(self, _, data, size):
        try:
            self.parts.append(ctypes.string_at(data, size))
        except MemoryError:
            return 12   # ENOMEM
        return 0

    def output(self, name):
        """A writer that keeps what it writes."""
        self.callback = _WRITE(self.keep)
        self.sinks.append(self.check(self.lib.flame_create_callback(
            self.flame, _bytes(name), self.callback, None)))

    def columns(self, labels):
        """A writer of columns, which are filled once it is finished."""
        columns = _frames.Columns()
        self.sinks.append(self.check(self.lib.flame_create_columns(
            self.flame, labels, ctypes.byref(columns.schema),
            ctypes.byref(columns.array))))
        return columns

    def column(self, number):
        """A column of the tree, which is made with the first."""
        self.tree = self.tree or self.check(self.lib.flame_tree_new(
            self.flame, 2))
        self.sinks.append(self.check(self.lib.flame_tree_sink(
            self.tree, number)))

    def set(self, pairs):
        for name, value in pairs:
            self.done(self.lib.flame_set(self.sinks[-1], _bytes(name),
                                         _bytes(value)))

    def chain(self, filters, event):
        filters = [(_bytes(name), _bytes(value)) for name, value in filters]
        event = _bytes(event)
        sink = self.sinks.pop()     # its next owns it, also where that fails
        for name, value in reversed(filters):
            sink = self.lib.flame_filter(sink, name, value)
        self.sinks.append(self.check(self.lib.flame_pick(sink, event)))

    def open(self, path):
        if not isinstance(path, _Samples):
            name = _bytes(os.fsencode(path))    # of None: TypeError
            return self.lib.flame_open(self.flame, name, None) or \
                self.fail_to_open(name)
        return self.check(self.lib.flame_open_memory(
            self.flame, path.table, len(path.table), b"frame", b"ndjson"))

    def pump(self, paths, asks=(), seen=None):
        for path in paths:
            source = self.open(path)
            try:
                for name, value in asks:
                    self.done(self.lib.flame_ask(source, _bytes(name),
                                                 _bytes(value)))
                self.done(self.lib.flame_pump(source, self.sinks[-1]))
                if seen:
                    seen(source)
            finally:
                self.lib.flame_close(source)

    def finish(self):
        self.done(self.lib.flame_finish(self.sinks.pop()))
        return b"".join(self.parts)

    def metrics(self):
        known = (self.lib.flame_metric_of(self.flame, i + 1).contents
                 for i in range(self.lib.flame_metrics(self.flame)))
        return {os.fsdecode(one.name): {
            "samples": one.samples, "no_stack": one.no_stack,
            "total": one.total, "unit": os.fsdecode(one.unit or b""),
            "weight": os.fsdecode(one.weight or b""),
            "first": None if one.first == _NO_TIME else one.first,
            "last": None if one.last == _NO_TIME else one.last,
            "threads": one.threads or None} for one in known if one.samples}

    def ranks(self):
        """(name, self, total) of each name, by columns of the tree."""
        data, n = ctypes.POINTER(_Rank)(), ctypes.c_size_t()
        self.done(self.lib.flame_tree_rank(self.tree, _NAMES, None,
                                           ctypes.byref(data),
                                           ctypes.byref(n)))
        return [(os.fsdecode(self.lib.flame_name_text(
            self.flame, data[i].name, None)), tuple(data[i].self),
            tuple(data[i].total)) for i in range(n.value)]


def _nearest(wanted, names):
    array = (ctypes.c_char_p * len(names))(*map(_bytes, names))
    found = _load().flame_nearest(_bytes(wanted), array, len(names))
    return os.fsdecode(found) if found else None


def _names_there(ranks):
    """The frames, and the parts of their names that a word may begin at."""
    names = {}
    for name, _, total in ranks:
        names[name] = total[0]
        for part in re.split(r"[./$:;\[]", name):
            names.setdefault(part, 0)
    return names


def _listed(names):
    more = len(names) - 6
    return "; there is " + ", ".join(names[:6]) + \
        (" and %d more" % more if more > 0 else "")


def _remaining(paths, event, options, filters, raw_names):
    """What is left by the first filters, as ranks."""
    with _Run(raw_names, refuse_empty=False) as run:
        run.column(0)
        run.chain(filters, event)
        run.pump(paths, options.asks)
        run.finish()
        run.warned.clear()
        return run.ranks()


def _why_empty(paths, event, options, raw_names):
    """The option that selected nothing, and what it could have named."""
    with _Run(raw_names, refuse_empty=False) as run:
        run.column(0)
        run.chain([], None)
        run.pump(paths)
        run.finish()
        run.warned.clear()
        there = {name: one["samples"] for name, one in run.metrics().items()
                 if one["samples"] > one["no_stack"]}
    counts = ["%s %d" % pair for pair in there.items()]
    if event and event not in there:
        near = _nearest(event, list(there))
        return "nothing was selected by event=%s%s%s" % (
            event, " (did you mean %s?)" % near if near else "",
            _listed(counts))
    before = _remaining(paths, event, options, [], raw_names)
    for i, (name, value) in enumerate(options.filters if before else ()):
        left = _remaining(paths, event, options, options.filters[:i + 1],
                          raw_names)
        if not left:
            names = _names_there(before)
            if name == "label":
                key = os.fsdecode(_bytes(value)).split("=")[0]
                return "nothing was selected by label=%s" % value + _listed(
                    sorted(_values(paths, event, options, i, key,
                                   raw_names)))
            near = _nearest(value, list(names)) if value is not True else None
            return "nothing was selected by %s=%s%s" % (
                name, value, " (did you mean %s?)" % near
                if near and near != value else _listed(
                    sorted(names, key=names.get, reverse=True)))
        before = left
    asked = ", ".join("%s=%s" % pair for pair in options.asks)
    return "nothing was selected" + (" by " + asked if asked else "") + \
        _listed(counts)


def _values(paths, event, options, n, key, raw_names):
    """The values of a label that the first n filters leave."""
    with _Run(raw_names, refuse_empty=False) as run:
        run.output("folded")
        run.chain(options.filters[:n] + [("by", key)], event)
        run.pump(paths, options.asks)
        lines = run.finish().split(b"\n")
        run.warned.clear()
    found = {os.fsdecode(re.split(rb";| -?[0-9]+$", line)[0])
             for line in lines if line}
    # "stage 11": a number is printed with its key.
    return {re.sub("^%s (?=[0-9])" % re.escape(key), "", one)
            for one in found}


def _write(paths, create, event, options, raw_names):
    """What create(run), which makes a writer, returns, and its parts."""
    paths = _inputs(*paths)
    with _Run(raw_names) as run:
        asked = _Options(run.lib, options)
        made = create(run)
        run.set(asked.sets)
        run.chain(asked.filters, event)
        try:
            run.pump(paths, asked.asks)
            run.done(run.lib.flame_finish(run.sinks.pop()))
            return made, run.parts
        except Error:
            if not run.lib.flame_refused_empty(run.flame):
                raise
    raise Error(_why_empty(paths, event, asked, raw_names))


def write(*paths: Input, format: str = "html", event: Optional[str] = None,
          options: Optional[Mapping[str, Any]] = None,
          raw_names: bool = False, **more: Any) -> bytes:
    """The bytes of any format that is written: html, svg, folded, pprof ...

    event names a metric (cpu if there is any); events="all" makes a page of
    all.  Names of Java's generated classes are those of the tools, unless
    raw_names is true.  options ({"title": "x"}) are of the writer.
    """
    return b"".join(_write(paths, lambda run: run.output(format), event,
                           {**more, **(options or {})}, raw_names)[1])


class Page:
    """A page, which notebooks show."""

    def __init__(self, text: str, height: int = 600) -> None:
        self.html = text
        self.height = height

    def _repr_html_(self) -> str:
        # In a frame of its own: its styles, keys and policy stay there.
        return ('<iframe sandbox="allow-scripts allow-downloads" '
                'style="width: 100%%; height: %dpx; border: 0" '
                'srcdoc="%s"></iframe>' % (self.height,
                                           html.escape(self.html)))

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.html)


class Diff(Page):
    """The page of a comparison.

    frames has a dict for each name that occurs: frame, and self and total as
    (before, after), those that moved most first.
    """

    def __init__(self, text: str, frames: List[Dict[str, Any]],
                 height: int = 600) -> None:
        super().__init__(text, height)
        self.frames = frames


def page(*paths: Input, event: Optional[str] = None,
         title: Optional[str] = None, height: int = 600,
         **more: Any) -> Page:
    """A flame graph of one profile, or of several added up, as a Page."""
    text = write(*paths, event=event, title=title, **more)
    return Page(text.decode("utf-8", "replace"), height)


def diff(before: Input, after: Input, event: Optional[str] = None,
         title: Optional[str] = None, height: int = 600,
         normalize: bool = False, raw_names: bool = False,
         **more: Any) -> Diff:
    """A comparison of two profiles, or of two lists of them, as a Diff.

    With normalize the first is scaled to the total of the second.
    """
    sides = [_inputs(before), _inputs(after)]
    with _Run(raw_names) as run:
        asked = _Options(run.lib, {**more, "title": title})
        for column, paths in enumerate(sides):
            run.column(column)
            run.chain(asked.filters, event)
            run.pump(paths, asked.asks)
            try:
                run.finish()
            except Error:
                if not run.lib.flame_refused_empty(run.flame):
                    raise
                raise Error(_why_empty(paths, event, asked,
                                       raw_names)) from None
        if normalize:
            run.lib.flame_tree_scale(run.tree, 0,
                                     run.lib.flame_tree_total(run.tree, 1))
        frames = [{"frame": name, "self": own, "total": total}
                  for name, own, total in run.ranks()]
        run.output("html")
        run.set(asked.sets)
        run.done(run.lib.flame_tree_write(run.tree, run.sinks[-1]))
        text = run.finish()
    frames.sort(key=lambda one: (-abs(one["self"][1] - one["self"][0]),
                                 -abs(one["total"][1] - one["total"][0]),
                                 one["frame"]))
    return Diff(text.decode("utf-8", "replace"), frames, height)


def metrics(*paths: Input) -> Dict[str, Dict[str, Any]]:
    """What was measured: {"cpu": {"samples": 602, "unit": "samples", ...}}.

    Times are ns since 1970; what is not known is None.
    """
    with _Run(refuse_empty=False) as run:
        run.column(0)
        run.chain([], None)
        run.pump(_inputs(*paths))
        run.finish()
        return run.metrics()


def info(*paths: Input) -> List[Dict[str, Any]]:
    """Facts of each input, a list of dicts: path, format, bytes (as stored),
    facts and metrics."""
    found = []
    with _Run(refuse_empty=False) as run:

        def see(source):
            facts = ctypes.POINTER(_Fact)()
            n = run.lib.flame_facts(source, ctypes.byref(facts))
            found.append({
                "format": os.fsdecode(run.lib.flame_source_format(source) or
                                      b""),
                "bytes": run.lib.flame_source_bytes(source),
                "facts": {os.fsdecode(facts[i].key):
                          os.fsdecode(facts[i].value) for i in range(n)}})

        paths = _inputs(*paths)
        run.column(0)
        run.chain([], None)
        run.pump(paths, seen=see)
        run.finish()
    for path, one in zip(paths, found):
        one["path"], one["metrics"] = path, metrics(path)
    return found


def fold(*paths: Input, event: Optional[str] = None,
         raw_names: bool = False, **more: Any) -> Dict[str, int]:
    """Stacks and their weights: {"main;run;read": 12}."""
    parts = _write(paths, lambda run: run.output("folded"), event, more,
                   raw_names)[1]
    stacks: Dict[str, int] = {}
    rest = b""
    for i, part in enumerate(parts):
        parts[i] = b""      # each is freed as soon as it is read
        lines = (rest + part).split(b"\n")
        rest = lines.pop()
        for line in lines:
            stack, _, weight = line.rpartition(b" ")
            name = stack.decode("utf-8", "replace")
            stacks[name] = stacks.get(name, 0) + int(weight)
    return stacks


def frame(*paths: Input, event: Optional[str] = None,
          labels: Union[bool, str, List[str]] = False,
          library: str = "pandas", raw_names: bool = False,
          **more: Any) -> Any:
    """A frame of pandas, or with library="polars" or "pyarrow" of these.

    Its columns are stack and weight, as of fold.  With labels=True, metric, unit
    and each label (thread, file, what a profiler adds) are columns as well, and
    rows are apart where one differs; a list names the labels that are wanted.
    page, fold, diff and the others accept such a frame as an input.

    Columns are Arrow's: polars and pyarrow (whose table DuckDB reads by its
    name) import them as they are, and pandas does through pyarrow, where that is
    installed.
    """
    if library not in ("pandas", "polars", "pyarrow"):
        raise Error("a frame is of pandas, polars or pyarrow, not of %s" %
                    library)
    columns = _write(paths, lambda run: run.columns(labels is not False),
                     event, more, raw_names)[0]
    if isinstance(labels, bool):
        return _imported(columns, library)
    return _made(_chosen(columns.lists(), [labels] if isinstance(labels, str)
                         else list(labels)), library)


def _imported(columns, library):
    """The columns without a copy, where the library can have them so."""
    try:
        if library == "polars":
            import polars
            made = polars.from_arrow(columns)   # of one array: a struct
            return made if isinstance(made, polars.DataFrame) else \
                made.struct.unnest()
        import pyarrow
        table = pyarrow.Table.from_batches([pyarrow.record_batch(columns)])
    except (ImportError, TypeError):    # not there, or of before 2024
        return _made(columns.lists(), library)
    return table if library == "pyarrow" else table.to_pandas()


def _made(lists, library):
    if library == "polars":
        import polars
        return polars.DataFrame(lists)
    if library == "pyarrow":
        import pyarrow
        return pyarrow.table(lists)
    import pandas
    return pandas.DataFrame(lists)


def _chosen(columns, wanted):
    """The table with labels that are wanted, equal rows as one."""
    there = [name for name in columns
             if name not in ("stack", "weight", "metric", "unit")]
    for name in wanted:
        if name not in there:
            raise Error("no sample has the label %s" % name +
                        _listed(sorted(there)))
    names = [name for name in columns
             if name in wanted or (name not in there and name != "weight")]
    sums: Dict[Tuple[Any, ...], int] = {}
    for key, weight in zip(zip(*(columns[name] for name in names)),
                           columns["weight"]):
        sums[key] = sums.get(key, 0) + weight
    chosen = {name: [key[i] for key in sums] for i, name in enumerate(names)}
    chosen["weight"] = list(sums.values())
    return {name: chosen[name] for name in columns if name in chosen}
