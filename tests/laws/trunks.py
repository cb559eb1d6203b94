# SPDX-License-Identifier: Apache-2.0
"""trunks.py UNFOLDED.svg FOLDED.svg: whether folding trunks changed a number.

Reads both pictures by itself: every box of one is in the other, with its
name, weight, place and width; those of a run are the frames that its title
lists, each the caller of the next, which has all but a twentieth of the
first one's weight. Prints what is not so, and how many frames are folded.
"""
import collections
import re
import sys
import xml.etree.ElementTree as ET

SVG = "{http://www.w3.org/2000/svg}"
Box = collections.namedtuple("Box", "x width name count")


def read(path):
    """Boxes by row, the root's first; those of runs; what is not drawn."""
    frames = [e for e in ET.parse(path).getroot().iter(SVG + "svg")
              if e.get("id") == "frames"][0]
    rows, runs = collections.defaultdict(collections.Counter), []
    height = int(frames.get("viewBox").split()[3])
    for e in frames.iter(SVG + "rect"):
        name, count = re.fullmatch(r"(.*) \(([\d,]+) [^()]*, [\d.]+%\)",
                                   e.find(SVG + "title").text, re.S).groups()
        box = Box(int(e.get("x")), int(e.get("width")), name,
                  int(count.replace(",", "")))
        if e.get("data-run") is None:
            rows[height - 1 - int(e.get("y"))][box] += 1
        else:
            runs.append(box)
    return rows, runs, int(frames.get("data-cut"))


def chain(rows, run):
    """The boxes of a run in the unfolded picture, from one row to the next."""
    names = run.name.split(" → ")
    for row in range(len(rows)):
        first = run._replace(name=names[0])
        boxes = [first] if first in rows[row] else []
        for k, name in enumerate(names[1:], 1):
            if len(boxes) < k:
                break
            boxes += [b for b in rows[row + k]
                      if b.name == name and run.x <= b.x and
                      b.x + b.width <= run.x + run.width and
                      b.count * 100 >= run.count * 95][:1]
        if len(boxes) == len(names):
            return boxes
    return None


def main():
    rows, plain, cut = read(sys.argv[1])
    folded, runs, folded_cut = read(sys.argv[2])
    wrong = [] if not plain else ["runs where none are folded"]
    left = sum(rows.values(), collections.Counter())
    left.subtract(sum(folded.values(), collections.Counter()))
    for run in runs:
        boxes = chain(rows, run)
        if boxes is None:
            wrong.append("%s is not a run of the unfolded picture" % (run,))
        left.subtract(boxes or [])
    wrong += ["%s: %d more unfolded" % (box, n) for box, n in left.items()
              if n]
    if cut != folded_cut:
        wrong.append("%d is not drawn, folded %d" % (cut, folded_cut))
    if rows[0] != folded[0]:
        wrong.append("root %s, folded %s" % (rows[0], folded[0]))
    print("\n".join(wrong[:9]), end="\n" if wrong else "")
    print("%d runs" % len(runs), file=sys.stderr)


main()
