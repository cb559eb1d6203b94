# SPDX-License-Identifier: Apache-2.0
"""Samples as frames of pandas, polars and pyarrow, in and out.

A frame of samples has a row for each sample or sum of them: stack (frames
from the root, divided by ";", or a list of them), weight (1 where there is no
such column), metric and unit ("samples" where there are none), and labels: each
further column is one, and a column labels may have dicts of more.
"""

from __future__ import annotations

import ctypes
import json
import math
from typing import Any, Dict, Iterator, List

# What a row of the tools' tables has that is not a label.
_ROW = ("metric", "unit", "value", "stack")


def is_frame(value: Any) -> bool:
    """Whether it is a frame of pandas or polars, or a table of pyarrow."""
    return hasattr(value, "columns") and (hasattr(value, "to_dict") or
                                          hasattr(value, "iter_rows") or
                                          hasattr(value, "to_pylist"))


def _rows(frame: Any) -> Iterator[Dict[str, Any]]:
    if hasattr(frame, "to_pylist"):
        yield from frame.to_pylist()
        return
    names = [str(name) for name in frame.columns]
    rows = frame.iter_rows() if hasattr(frame, "iter_rows") else \
        frame.itertuples(index=False, name=None)
    for row in rows:
        yield dict(zip(names, row))


def _missing(value: Any) -> bool:
    """None, NaN, NaT and pandas.NA: the last is not even equal to itself."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float) and math.isnan(value)


def _text(value: Any) -> str:
    # Pandas makes floats of whole numbers beside which one is missing.
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def _stack(value: Any) -> str:
    if isinstance(value, str):
        return value
    if _missing(value):
        return ""
    return ";".join(str(one).replace(";", ":") for one in value)


def _line(row: Dict[str, Any]) -> str:
    labels = row.pop("labels", None)
    labels = labels if isinstance(labels, dict) else {}
    stack, weight = _stack(row.pop("stack")), row.pop("weight", 1)
    line = {"metric": "samples", "unit": "samples", "value": 0}
    for name in ("metric", "unit"):
        value = row.pop(name, None)
        if not _missing(value):
            line[name] = str(value)
    if _missing(weight):
        raise ValueError("a row has no weight: " + stack[:60])
    line["value"] = weight if isinstance(weight, (int, float)) else \
        int(weight)    # of numpy
    for name, value in {**row, **labels}.items():
        if name in _ROW:
            raise ValueError("%s cannot name a label" % name)
        if not _missing(value):
            line[name] = _text(value)
    line["stack"] = stack
    return json.dumps(line, ensure_ascii=False)


def to_bytes(frame: Any) -> bytes:
    """A frame as the table that the library reads."""
    names = [str(name) for name in getattr(frame, "column_names",
                                           frame.columns)]
    if "stack" not in names:
        raise ValueError("a frame of samples needs a column stack; there is " +
                         (", ".join(names) or "none"))
    lines = [_line(row) for row in _rows(frame)]
    if not lines:
        raise ValueError("a frame of samples has no row")
    return ("\n".join(lines) + "\n").encode("utf-8", "surrogateescape")


class ArrowSchema(ctypes.Structure):
    """Of Arrow's C data interface; release is a function of it."""


class ArrowArray(ctypes.Structure):
    """The same."""


ArrowSchema._fields_ = [
    ("format", ctypes.c_char_p), ("name", ctypes.c_char_p),
    ("metadata", ctypes.c_char_p), ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("children", ctypes.POINTER(ctypes.POINTER(ArrowSchema))),
    ("dictionary", ctypes.c_void_p), ("release", ctypes.c_void_p),
    ("private_data", ctypes.c_void_p)]
ArrowArray._fields_ = [
    ("length", ctypes.c_int64), ("null_count", ctypes.c_int64),
    ("offset", ctypes.c_int64), ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(ArrowArray))),
    ("dictionary", ctypes.c_void_p), ("release", ctypes.c_void_p),
    ("private_data", ctypes.c_void_p)]


def _capsule(struct: ctypes.Structure, name: bytes) -> Any:
    new = ctypes.pythonapi.PyCapsule_New
    new.restype = ctypes.py_object
    new.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    return new(ctypes.addressof(struct), name, None)


class Columns:
    """Columns that the library made, which others import without a copy.

    They are released with this object, unless somebody has moved them: then
    the struct has no release function.
    """

    # Capsules have the name's address: it has to stay.
    _names = b"arrow_schema", b"arrow_array"

    def __init__(self) -> None:
        self.schema, self.array = ArrowSchema(), ArrowArray()

    def __del__(self) -> None:
        for struct in (self.schema, self.array):
            if struct.release:
                ctypes.CFUNCTYPE(None, ctypes.c_void_p)(struct.release)(
                    ctypes.addressof(struct))

    def __arrow_c_array__(self, requested_schema: Any = None) -> Any:
        return (_capsule(self.schema, self._names[0]),
                _capsule(self.array, self._names[1]))

    def lists(self) -> Dict[str, List[Any]]:
        """The columns as lists, for who has no Arrow."""
        return {self.schema.children[i].contents.name.decode(): _values(
            self.schema.children[i].contents, self.array.children[i].contents)
            for i in range(self.array.n_children)}


def _values(schema: ArrowSchema, array: ArrowArray) -> List[Any]:
    n, buffers = array.length, array.buffers
    if schema.format != b"U":
        number = ctypes.c_int64 if schema.format == b"l" else ctypes.c_double
        return list((number * n).from_address(buffers[1]))
    ends = (ctypes.c_int64 * (n + 1)).from_address(buffers[1])
    text = ctypes.string_at(buffers[2], ends[n])
    values: List[Any] = [text[ends[i]:ends[i + 1]].decode() for i in range(n)]
    if array.null_count:
        valid = (ctypes.c_uint8 * (n // 8 + 1)).from_address(buffers[0])
        for i in range(n):
            if not valid[i // 8] >> i % 8 & 1:
                values[i] = None
    return values
