# SPDX-License-Identifier: Apache-2.0
"""Flame graphs of any profile, in Python and in notebooks.

    import flame
    flame.page("app.jfr")                       # shows in a notebook
    flame.page("a.jfr", "b.jfr", root="TaskRunner.run").save("tasks.html")
    flame.fold("app.jfr", event="cpu")          # {"main;run": 12, ...}

A wrapper of libflamegraph by ctypes, without a build step of its own: copy
this file, add its folder to PYTHONPATH, or "pip install" the folder.
FLAME_LIBRARY names the library where the loader does not find it.

What a tool refuses is an Error, with its message; what it warns of (damage
from which whole records were kept) is a warning of Python's.
"""

import ctypes
import ctypes.util
import html
import os
import warnings

__all__ = ["Error", "Page", "fold", "frame", "page", "write"]

_WRITE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p,
                          ctypes.POINTER(ctypes.c_char), ctypes.c_size_t)
_WARN = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p)
_library = None


class _Row(ctypes.Structure):
    """struct flame_row."""

    _fields_ = [("kind", ctypes.c_char), ("name", ctypes.c_char_p),
                ("argument", ctypes.c_char_p), ("summary", ctypes.c_char_p),
                ("rank", ctypes.c_int), ("joins", ctypes.c_int),
                ("hidden", ctypes.c_int)]


class Error(Exception):
    """What the library says of an input or an option."""


def _load():
    global _library
    if _library:
        return _library
    path = os.environ.get("FLAME_LIBRARY") or \
        ctypes.util.find_library("flamegraph") or "libflamegraph.so.0"
    try:
        lib = ctypes.CDLL(path)
    except OSError as error:
        raise Error("libflamegraph is not found (FLAME_LIBRARY=FILE names "
                    "it): %s" % error) from error
    pointer, text = ctypes.c_void_p, ctypes.c_char_p
    for name, result, *arguments in (
            ("flame_new", pointer),
            ("flame_free", None, pointer),
            ("flame_error", text, pointer),
            ("flame_on_warning", None, pointer, _WARN, pointer),
            ("flame_refuse_empty", None, pointer, ctypes.c_bool),
            ("flame_unify_java", None, pointer, ctypes.c_bool),
            ("flame_rows", ctypes.c_int, ctypes.c_char, ctypes.c_uint,
             ctypes.POINTER(_Row)),
            ("flame_open", pointer, pointer, text, text),
            ("flame_close", None, pointer),
            ("flame_create_callback", pointer, pointer, text, _WRITE,
             pointer),
            ("flame_filter", pointer, pointer, text, text),
            ("flame_pick", pointer, pointer, text),
            ("flame_set", ctypes.c_int, pointer, text, text),
            ("flame_pump", ctypes.c_int, pointer, pointer),
            ("flame_finish", ctypes.c_int, pointer),
            ("flame_abandon", None, pointer)):
        function = getattr(lib, name)
        function.restype, function.argtypes = result, arguments
    _library = lib
    return lib


def _bytes(value):
    if value is None or value is True:
        return None
    if not isinstance(value, (str, bytes, os.PathLike)):
        value = str(value)
    return os.fsencode(value)


def _rows(lib):
    """The filters' rows by name."""
    rows, number = {}, 0
    while True:
        row = _Row()
        if not lib.flame_rows(b"f", number, ctypes.byref(row)):
            return rows
        rows[os.fsdecode(row.name)] = row
        number += 1


def _pairs(lib, filters):
    """(name, value) of each, in the tools' order; a list is several."""
    rows, pairs = _rows(lib), []
    for name, value in filters.items():
        name = name.replace("_", "-")
        rank = rows[name].rank if name in rows else 0
        several = [one for one in (value if isinstance(value, (list, tuple))
                                   else [value])
                   if one is not None and one is not False]
        if name in rows and rows[name].joins and len(several) > 1:
            several = [b"\n".join(map(_bytes, several))]
        pairs += [(rank, name, one) for one in several]
    pairs.sort(key=lambda pair: pair[0])
    return [pair[1:] for pair in pairs]


def _paths(paths):
    """A list is as many inputs."""
    for path in paths:
        if isinstance(path, (list, tuple, set)) or hasattr(path, "__next__"):
            yield from _paths(path)
        else:
            yield path


class _Run:
    """Inputs through filters into a writer, whose bytes are kept."""

    def __init__(self):
        self.lib = _load()
        self.flame = self.lib.flame_new()
        self.sink = None
        self.parts = []
        self.warned = []
        if not self.flame:
            raise MemoryError
        self.on_warning = _WARN(
            lambda _, line: self.warned.append(os.fsdecode(line)))
        self.lib.flame_on_warning(self.flame, self.on_warning, None)
        self.lib.flame_refuse_empty(self.flame, True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.lib.flame_abandon(self.sink)
        self.lib.flame_free(self.flame)
        for line in self.warned:
            warnings.warn(line, stacklevel=4)

    def fail(self):
        text = self.lib.flame_error(self.flame) or b""
        raise Error(os.fsdecode(text) or "the library refused this")

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

    def write(self, paths, output, event, filters, options, raw_names):
        lib, self.callback = self.lib, _WRITE(self.keep)
        lib.flame_unify_java(self.flame, not raw_names)
        self.sink = self.check(lib.flame_create_callback(
            self.flame, _bytes(output), self.callback, None))
        for name, value in options.items():
            self.done(lib.flame_set(self.sink, _bytes(name), _bytes(value)))
        for name, value in reversed(_pairs(lib, filters)):
            self.sink = self.check(lib.flame_filter(
                self.sink, _bytes(name), _bytes(value)))
        self.sink = self.check(lib.flame_pick(self.sink, _bytes(event)))
        for path in paths:
            source = self.check(lib.flame_open(self.flame, _bytes(path),
                                               None))
            status = lib.flame_pump(source, self.sink)
            lib.flame_close(source)
            self.done(status)
        sink, self.sink = self.sink, None
        self.done(lib.flame_finish(sink))
        return b"".join(self.parts)


def write(*paths, format="html", event=None, options=None, raw_names=False,
          **filters):
    """The bytes of any format that is written: html, svg, folded, pprof ...

    Filters are those of the tools: root="TaskRunner.run", keep="spark",
    hide=["lambda", "proxy"], no_tiers=True; they run in the tools' order, in
    whatever order they are given.  Names of Java's generated classes are those
    of the tools, too, unless raw_names is true.  A list of paths is as many
    inputs.  options are of the writer: {"title": "x"}.
    """
    paths = list(_paths(paths))
    if not paths:
        raise Error("no input: name a profile")
    with _Run() as run:
        return run.write(paths, format, event, filters, options or {},
                         raw_names)


class Page:
    """A page, which notebooks show."""

    def __init__(self, text, height=600):
        self.html = text
        self.height = height

    def _repr_html_(self):
        # In a frame of its own: its styles, keys and policy stay there.
        return ('<iframe sandbox="allow-scripts allow-downloads" '
                'style="width: 100%%; height: %dpx; border: 0" '
                'srcdoc="%s"></iframe>' % (self.height,
                                           html.escape(self.html)))

    def save(self, path):
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.html)


def page(*paths, event=None, title=None, height=600, **filters):
    """A flame graph of one profile, or of several added up, as a Page."""
    options = {} if title is None else {"title": title}
    text = write(*paths, event=event, options=options, **filters)
    return Page(text.decode("utf-8", "replace"), height)


def fold(*paths, event=None, **filters):
    """Stacks and their weights: {"main;run;read": 12}."""
    lines = write(*paths, format="folded", event=event, **filters)
    stacks = {}
    for line in lines.decode("utf-8", "replace").split("\n"):
        stack, _, weight = line.rpartition(" ")
        if stack:
            stacks[stack] = stacks.get(stack, 0) + int(weight)
    return stacks


def frame(*paths, event=None, **filters):
    """The same as a pandas frame with the columns stack and weight."""
    import pandas
    return pandas.DataFrame(list(fold(*paths, event=event,
                                      **filters).items()),
                            columns=["stack", "weight"])
