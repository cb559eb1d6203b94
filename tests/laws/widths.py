# SPDX-License-Identifier: Apache-2.0
"""widths.py FOLDED SVG HTML: whether what was drawn is the input, exactly.

Reads pictures and pages by itself, not with the library: all of the input
must be in the page's data; in the picture every frame from the least drawn
weight on, at its place and as wide as its total, and all others under the
grey outlines. Prints what is not so.
"""
import base64
import re
import sys
import xml.etree.ElementTree as ET
import zlib

SVG = "{http://www.w3.org/2000/svg}"
# Frames of one name below one frame: these are apart, and in this order.
PLAIN, JAVA, KERNEL, WAKER = range(4)
KINDS = {"j": JAVA, "i": JAVA, "0": JAVA, "1": JAVA, "k": KERNEL, "w": WAKER}
LETTERS = " 0jinck1mgw"         # of types: libflame/tree/tree.h
FINEST = 10000000               # units across, at most


def wrong(text):
    wrong.n += 1
    if wrong.n < 10:
        print(text)


wrong.n = 0


class Node:
    def __init__(self):
        self.children = {}
        self.self = self.total = self.x = self.level = 0


def frame(text):
    """A name and a kind: tiers of one function are one frame."""
    m = re.fullmatch(rb"(.*)_\[([kwji01])\]", text, re.S)
    return (m[1], KINDS[m[2].decode()]) if m else (text, PLAIN)


def read_folded(path):
    root = Node()
    for line in open(path, "rb"):
        stack, _, count = line.rstrip(b"\r\n").rpartition(b" ")
        node = root
        for text in stack.split(b";") if stack else []:
            node = node.children.setdefault(frame(text), Node())
        node.self += int(count)
    return root


def preorder(root):
    """Nodes with their paths, children in the order of their names."""
    stack = [((), root)]
    while stack:
        path, node = stack.pop()
        yield path, node
        for key in sorted(node.children, reverse=True):
            stack.append((path + (key,), node.children[key]))


def measure(root):
    nodes = list(preorder(root))
    for path, node in reversed(nodes):
        node.total = node.self + sum(c.total for c in node.children.values())
    for path, node in nodes:
        at = node.x + node.self
        for key in sorted(node.children):
            child = node.children[key]
            child.x, child.level = at, node.level + 1
            at += child.total
    return nodes


# The page ------------------------------------------------------------------

class Data:
    def __init__(self, raw):
        self.raw, self.at = raw, 0

    def number(self):
        n = shift = 0
        while True:
            b = self.raw[self.at]
            self.at += 1
            n |= (b & 127) << shift
            shift += 7
            if b < 128:
                return n

    def bytes(self, n):
        self.at += n
        return self.raw[self.at - n:self.at]


def read_page(path):
    """Selfs by path, of what the page's first data element holds."""
    text = re.search(rb'<script type="text/plain" id="data">([^<]*)<',
                     open(path, "rb").read())[1]
    d = Data(zlib.decompress(base64.b64decode(text), -15))
    if d.number() != 3:
        sys.exit("a page of another version: this test must learn it")
    flags, nodes, symbols, colors, _ = (d.number() for _ in range(5))
    for _ in range(6):
        d.bytes(d.number())
    d.bytes(6 * colors)
    names, last = [], b""
    for _ in range(symbols):
        same = d.number()
        last = last[:same] + d.bytes(d.number())
        letter = LETTERS[d.number()]
        d.number()
        names.append((last, KINDS.get(letter, PLAIN)))
    own = sum(d.number() >> 1 & 1 for _ in range(symbols))
    for _ in range(3 * symbols):
        d.number()
    for _ in range(own):
        d.number()
        d.bytes(d.number())
    children = [d.number() for _ in range(nodes)]
    ranks = [d.number() for _ in range(nodes)]
    new = iter([d.number() for _ in range(ranks.count(0))])
    selfs = [d.number() for _ in range(nodes)]
    known, selfs_by_path, open_ = {}, {}, []
    for i in range(nodes):
        above = open_[-1][0] if open_ else None
        if ranks[i]:
            symbol = known[above][ranks[i] - 1]
        else:
            symbol = next(new)
            known.setdefault(above, []).append(symbol)
        path = open_[-1][1] + (names[symbol],) if open_ else ()
        if selfs[i]:
            selfs_by_path[path] = selfs_by_path.get(path, 0) + selfs[i]
        if open_:
            open_[-1][2] -= 1
        open_.append([symbol, path, children[i]])
        while open_ and not open_[-1][2]:
            open_.pop()
    return selfs_by_path


def check_page(nodes, path):
    want = {p: n.self for p, n in nodes if n.self}
    got = read_page(path)
    for p in want.keys() | got.keys():
        if want.get(p, 0) != got.get(p, 0):
            wrong("page: %s: self %d, not %d" % (
                p, got.get(p, 0), want.get(p, 0)))


# The picture ---------------------------------------------------------------

def read_picture(path):
    frames = [e for e in ET.parse(path).getroot().iter(SVG + "svg")
              if e.get("id") == "frames"][0]
    boxes, outlines = {}, {}
    _, _, width, rows = frames.get("viewBox").split()
    parts = [(None, e) for e in frames]
    while parts:
        look, e = parts.pop()
        if e.tag == SVG + "g":
            parts += [(e.get("class"), c) for c in e]
        elif e.tag == SVG + "path":
            take_outline(outlines, e.get("d"))
        elif e.tag == SVG + "rect":
            letter = (e.get("class") or look).split(" ")[1:]
            name, count = re.fullmatch(
                r"(.*) \(([\d,]+) [^()]*, [\d.]+%\)",
                e.find(SVG + "title").text, re.S).groups()
            kind = KINDS.get(letter[0], PLAIN) if letter else PLAIN
            place = tuple(int(e.get(k)) for k in ("y", "x", "width"))
            boxes[place[:2]] = (name.encode(), kind, place[2],
                                int(count.replace(",", "")))
    return int(width), int(rows), int(frames.get("data-cut")), boxes, outlines


def take_outline(outlines, d):
    """Mx yhWv1h-Wz, then mx 0hWv1h-Wz: relative to where the last began."""
    x = y = 0
    for c, a, b, w in re.findall(r"([Mm])(-?\d+) (-?\d+)h(\d+)v1h-\d+z", d):
        x, y = (int(a), int(b)) if c == "M" else (x + int(a), y + int(b))
        outlines.setdefault(y, []).append((x, x + int(w)))


def check_picture(nodes, path):
    width, rows, said, boxes, outlines = read_picture(path)
    total, unit = nodes[0][1].total, 1
    while total // unit > FINEST:
        unit *= 10
    least = min(b[3] for b in boxes.values())
    cut, covered = 0, {}
    hidden = set()
    if width != total // unit:
        wrong("picture: %d wide, not %d" % (width, total // unit))
    for p, node in nodes:
        left = node.x // unit
        right = (node.x + node.total) // unit
        row = rows - 1 - node.level
        box = boxes.pop((row, left), None) if p[:-1] not in hidden else None
        if box and box[3] >= least and (not p or box[:2] == p[-1]):
            if box[2] != max(right - left, 1) or box[3] != node.total:
                wrong("picture: %s: %s, not %d and %d" % (
                    p, box, right - left, node.total))
            continue
        if box:
            wrong("picture: %s is where %s should be" % (box, p))
        if node.total >= least:
            wrong("picture: %s (%d) is not drawn" % (p, node.total))
        if p[:-1] not in hidden:
            cut += node.total
        hidden.add(p)
        if not any(a <= left and max(right, left + 1) <= b
                   for a, b in outlines.get(row, [])):
            wrong("picture: %s is not outlined" % (p,))
    for box in boxes.items():
        wrong("picture: %s is in no stack" % (box,))
    if cut != said:
        wrong("picture: %d is not drawn, but it says %d" % (cut, said))


def main():
    nodes = measure(read_folded(sys.argv[1]))
    check_picture(nodes, sys.argv[2])
    check_page(nodes, sys.argv[3])
    if wrong.n > 9:
        print("and %d more" % (wrong.n - 9))


main()
