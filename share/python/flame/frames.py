# SPDX-License-Identifier: Apache-2.0
"""Samples as frames of pandas and polars, in and out.

A frame of samples has a row for each sample or sum of them: stack (frames
from the root, divided by ";", or a list of them), weight (1 where there is no
such column), metric and unit ("samples" where there are none), and labels: each
further column is one, and a column labels may have dicts of more.
"""

from __future__ import annotations

import json
import math
from typing import Any, Dict, Iterator, List, Tuple

# What a row of the tools' tables has that is not a label.
_ROW = ("metric", "unit", "value", "stack")


def is_frame(value: Any) -> bool:
    """Whether it is a frame of pandas or polars."""
    return hasattr(value, "columns") and (hasattr(value, "to_dict") or
                                          hasattr(value, "iter_rows"))


def _rows(frame: Any) -> Iterator[Dict[str, Any]]:
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
    names = [str(name) for name in frame.columns]
    if "stack" not in names:
        raise ValueError("a frame of samples needs a column stack; there is " +
                         (", ".join(names) or "none"))
    lines = [_line(row) for row in _rows(frame)]
    if not lines:
        raise ValueError("a frame of samples has no row")
    return ("\n".join(lines) + "\n").encode("utf-8", "surrogateescape")


def of_bytes(table: bytes) -> Tuple[List[str], Dict[str, List[Any]]]:
    """The columns of a table that the library wrote."""
    rows = [json.loads(line) for line in
            table.decode("utf-8", "replace").split("\n") if line]
    labels = list(dict.fromkeys(name for row in rows for name in row
                                if name not in _ROW))
    columns: Dict[str, List[Any]] = {
        "stack": [row["stack"] for row in rows],
        "weight": [row["value"] for row in rows],
        "metric": [row["metric"] for row in rows],
        "unit": [row["unit"] for row in rows]}
    for name in labels:
        columns[name] = [row.get(name) for row in rows]
    return labels, columns
