# SPDX-License-Identifier: Apache-2.0
"""Readers need time and memory in proportion to an input: growth.py READ

Files of tests/data are the seeds.  Of each, a line, an element of a JSON array
or a key of an object is repeated, alike and with other numbers and names; a
word and a string become long; lists lie within one another.  Formats that are
not text are written here: pprof, OTLP, archives.  growth-read (READ) reads each
shape of BYTES and of four times as many, as the bytes that formats are detected
by grow so.  Where it is more than SLOW times as slow by the clock of the
processor, which is not exact, instructions are counted by callgrind: more than
LIMIT times as many, 2.2 for each doubling of what is read and written, break
the law.  TAP; TABLE=1 counts all shapes and prints the worst of each format.
"""
import copy
import glob
import io
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import zipfile

BYTES = int(os.environ.get("GROWTH_BYTES", 80000))
LIMIT = 2.2 ** 2    # for four times the bytes
SLOW = 5            # by the clock
BATCH = 64          # shapes that are written at once
LINES = 6           # of a text: those at its beginning
SEED_BYTES = 20000  # of a seed
SEEDS = int(os.environ.get("GROWTH_SEEDS", 1))  # of a folder: its longest
MAX_SHAPES = 18     # of a seed
# Folders that are not inputs by themselves, or of a format that another has.
OTHER = {"src", "jfr-text", "words", "gallery", "spark-events", "logs",
         "spark-python", "record.sh", "live.txt"}


def numbered(line, i):
    """The line with another name and another number."""
    word = re.search(r"[A-Za-z_]{3,}", line)
    line = line[:word.end()] + str(i) + line[word.end():] if word else line
    return re.sub(r"[0-9]+$", lambda m: str(int(m.group()) % 1000 + i), line)


def text_shapes(text):
    lines = text.split("\n")
    seen = set()

    def instead(i, part):
        return "\n".join(lines[:i] + part + lines[i + 1:])

    for i, line in enumerate(lines[:LINES]):
        kind = re.sub(r"[0-9a-f]+", "0", line)
        if kind in seen or not line:
            continue
        seen.add(kind)
        yield "line %d again" % (i + 1), \
            lambda n, i=i, line=line: instead(i, [line] * (n // len(line)))
        yield "line %d numbered" % (i + 1), lambda n, i=i, line=line: instead(
            i, [numbered(line, k) for k in range(n // (len(line) + 5))])
        word = max(re.finditer(r"[A-Za-z_.$]+", line), default=None,
                   key=lambda m: len(m.group()))
        if word:
            yield "line %d with a long name" % (i + 1), \
                lambda n, i=i, line=line, word=word: instead(
                    i, [line[:word.start()] + "a" * n + line[word.end():]])
        for mark in ";( <":
            if mark in line:
                yield "line %d with many %r" % (i + 1, mark), \
                    lambda n, i=i, line=line, mark=mark: instead(
                        i, [line.replace(mark, (mark + "a") * (n // 2), 1)])
    yield "all of it again", lambda n: text * (n // len(text) + 1)


def values(value, path=()):
    yield path, value
    if isinstance(value, dict):
        for key in value:
            yield from values(value[key], path + (key,))
    elif isinstance(value, list):
        for i, one in enumerate(value[:2]):
            yield from values(one, path + (i,))


def put(document, path, value):
    if not path:
        return value
    document = copy.copy(document)
    document[path[0]] = put(document[path[0]], path[1:], value)
    return document


def other(value, i):
    if isinstance(value, str):
        return value + str(i)
    if isinstance(value, int) and not isinstance(value, bool):
        return value + i
    if isinstance(value, list):
        return [other(one, i) for one in value]
    if isinstance(value, dict):
        return {key: other(one, i) for key, one in value.items()}
    return value


def nested(document, path, value, key, n):
    """The value as an element of its own list, and so on."""
    head, tail = json.dumps({**value, key: ["@@"]}).split('"@@"')
    before, after = json.dumps(put(document, path, "@@@")).split('"@@@"')
    depth = n // (len(head) + len(tail))
    return before + head * depth + json.dumps(value) + tail * depth + after


def list_shapes(document, path, value, name):
    for last in (value[0], value[-1])[:len(value)]:
        size = len(json.dumps(last)) + 2
        yield name + " again", lambda n, last=last, size=size: json.dumps(
            put(document, path, value + [last] * (n // size)))
        yield name + " numbered", lambda n, last=last, size=size: json.dumps(
            put(document, path, value +
                [other(last, i) for i in range(n // (size + 4))]))


def json_shapes(document):
    seen = set()
    for path, value in values(document):
        name = ".".join("#" if isinstance(part, int) else part
                        for part in path)
        if (name, type(value)) in seen:
            continue
        seen.add((name, type(value)))
        if isinstance(value, list) and value:
            yield from list_shapes(document, path, value, name)
        elif isinstance(value, dict) and value:
            key, one = next(iter(value.items()))
            size = len(json.dumps(one)) + len(key) + 8
            yield name + ": keys", \
                lambda n, path=path, value=value, key=key, one=one, size=size: \
                json.dumps(put(document, path, {**value, **{
                    key + str(i): one for i in range(n // size)}}))
            for key, one in value.items():
                if isinstance(one, list) and (
                        not one or isinstance(one[0], dict)):
                    yield name + "." + key + " within one another", \
                        lambda n, path=path, value=value, key=key: nested(
                            document, path, value, key, n)
        elif isinstance(value, str):
            yield name + ": long", lambda n, path=path: json.dumps(
                put(document, path, "a/b;c." * (n // 6)))


# Messages of protobuf.

def varint(n):
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    out.append(n)
    return bytes(out)


def number(field, n):
    return varint(field << 3) + varint(n)


def inside(field, data):
    data = data.encode() if isinstance(data, str) else data
    return varint(field << 3 | 2) + varint(len(data)) + data


def pprof(samples, locations, functions, strings):
    types = inside(1, number(1, 1) + number(2, 2))
    return types + b"".join(
        [inside(2, inside(1, b"".join(map(varint, ids))) + inside(2, b"\1"))
         for ids in samples] +
        [inside(4, number(1, i + 1) + b"".join(
            inside(4, number(1, function)) for function in lines))
         for i, lines in enumerate(locations)] +
        [inside(5, number(1, i + 1) + number(2, name))
         for i, name in enumerate(functions)] +
        [inside(6, text) for text in ["", "cpu", "count", *strings]])


def pprof_shapes():
    yield "samples", lambda n: pprof(
        [[i % 9 + 1] for i in range(n // 8)], [[i + 1] for i in range(9)],
        [3 + i for i in range(9)], ["f%d" % i for i in range(9)])
    yield "locations", lambda n: pprof(
        [[i + 1] for i in range(n // 40)],
        [[i + 1] for i in range(n // 40)], [3 + i for i in range(n // 40)],
        ["f%d" % i for i in range(n // 40)])
    yield "depth", lambda n: pprof([[1] * n], [[1]], [3], ["f"])
    yield "inlining", lambda n: pprof([[1]], [[1] * (n // 4)], [3], ["f"])
    yield "inlining, named over and over", lambda n: pprof(
        [[1] * (n // 2)], [[1] * (n // 8)], [3], ["f"])
    yield "stacks that grow", lambda n: pprof(
        [[1] * (i + 1) for i in range(int((2 * n) ** .5))], [[1]], [3], ["f"])
    yield "a long name", lambda n: pprof([[1]], [[1]], [3], ["f" * n])


def otlp(stacks, locations, functions, strings):
    """ProfilesData: resource_profiles = 1, dictionary = 2."""
    samples = b"".join(inside(2, number(1, i) + inside(4, b"\1"))
                       for i in range(len(stacks)))
    profile = inside(1, number(1, 1) + number(2, 2)) + samples
    return inside(1, inside(2, inside(2, profile))) + inside(2, b"".join(
        [inside(2, b"".join(inside(3, number(1, f)) for f in lines))
         for lines in locations] +
        [inside(3, number(1, name)) for name in functions] +
        [inside(5, text) for text in ["", "cpu", "count", *strings]] +
        [inside(7, inside(1, b"".join(map(varint, ids)))) for ids in stacks]))


def otlp_shapes():
    yield "stacks", lambda n: otlp(
        [[i] for i in range(n // 40)], [[i] for i in range(n // 40)],
        [3 + i for i in range(n // 40)], ["f%d" % i for i in range(n // 40)])
    yield "depth", lambda n: otlp([[0] * n], [[0]], [3], ["f"])
    yield "inlining", lambda n: otlp([[0]], [[0] * (n // 4)], [3], ["f"])
    yield "inlining, named over and over", lambda n: otlp(
        [[0] * (n // 2)], [[0] * (n // 8)], [3], ["f"])
    yield "a long name", lambda n: otlp([[0]], [[0]], [3], ["f" * n])


def events(n, dur, name=lambda i: "f"):
    return json.dumps([{"ph": "X", "name": name(i), "pid": 1, "tid": 1,
                        "ts": i, "dur": dur} for i in range(n // 72)])


def chain(n, reverse):
    count = n // 64
    nodes = [{"id": i + 1, "callFrame": {"functionName": "f%d" % (i % 7)},
              **({"parent": i} if i else {})} for i in range(count)]
    ids = list(range(1, count + 1))
    return json.dumps({
        "nodes": nodes[::-1] if reverse else nodes,
        "samples": ids[::-1] if reverse else ids, "timeDeltas": [1] * count})


def folded(n, word):
    return "".join("%s %d\n" % (word(i), i + 1) for i in range(n // 16))


def archive(n, kind):
    out = io.BytesIO()
    members = n // 512
    if kind == "tar":
        with tarfile.open(fileobj=out, mode="w") as tar:
            for i in range(members):
                info = tarfile.TarInfo("m%d.folded" % i)
                info.size = 4
                tar.addfile(info, io.BytesIO(b"a 1\n"))
    else:
        with zipfile.ZipFile(out, "w") as packed:
            for i in range(members * 4):
                packed.writestr("m%d.folded" % i, "a 1\n")
    return out.getvalue()


OWN = {
    "pprof": pprof_shapes,
    "otlp": otlp_shapes,
    "trace-event": lambda: [
        ("overlaps", lambda n: events(n, 10 ** 6)),
        ("overlaps of other names",
         lambda n: events(n, 10 ** 6, lambda i: "f%d" % i)),
        ("overlaps of a few", lambda n: events(
            n, 5, lambda i: "f%d" % (i % 9)))],
    "cpuprofile": lambda: [
        ("a chain", lambda n: chain(n, False)),
        ("a chain, leaf first", lambda n: chain(n, True))],
    "folded": lambda: [
        ("one line", lambda n: "a;" * (n // 2) + "b 1\n"),
        ("one name", lambda n: "a" * n + " 1\n"),
        ("names", lambda n: folded(n, lambda i: "main;f%d" % i)),
        ("siblings", lambda n: folded(n, lambda i: "f%d;a" % i))],
    "archives": lambda: [
        ("members of a tar", lambda n: archive(n, "tar")),
        ("members of a zip", lambda n: archive(n, "zip"))],
}


def shapes(data):
    for name, of in OWN.items():
        for shape, make in of():
            yield name, shape, make
    for folder in sorted(set(os.listdir(data)) - OTHER):
        seeds = sorted(glob.glob(os.path.join(data, folder, "*.*")),
                       key=os.path.getsize)
        for path in [seed for seed in seeds
                     if 100 < os.path.getsize(seed) < SEED_BYTES][-SEEDS:]:
            with open(path, "rb") as seed:
                try:
                    text = seed.read().decode()
                except UnicodeDecodeError:
                    continue
            try:
                document = json.loads(text)
            except ValueError:
                document = None
            made = json_shapes(document) \
                if isinstance(document, (dict, list)) else text_shapes(text)
            for i, (shape, make) in enumerate(made):
                if i < MAX_SHAPES:
                    yield os.path.relpath(path, data), shape, make


class Reader:
    """growth-read, on files of a folder."""

    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        self.list = os.path.join(folder, "list")

    def path(self, i, times):
        return os.path.join(self.folder, "%d.%d" % (i, times))

    def write(self, i, make):
        for times in (1, 4):
            made = make(BYTES * times)
            with open(self.path(i, times), "wb") as file:
                file.write(made if isinstance(made, bytes) else
                           made.encode(errors="surrogatepass"))

    def read(self, n, *before):
        """[[ns, format, error, bytes written]] of each, by shape and size."""
        paths = [self.path(i, times) for i in range(n) for times in (1, 4)]
        with open(self.list, "w", encoding="ascii") as file:
            file.write("".join(path + "\n" for path in paths))
        out = subprocess.run(
            [*before, self.program, self.list], stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, timeout=600,
            check=True).stdout.decode(errors="replace")
        found = [line.split("\t") for line in out.splitlines()]
        return [found[i:i + 2] for i in range(0, 2 * n, 2)]

    def counts(self, n):
        """Pairs of numbers of instructions."""
        out = os.path.join(self.folder, "out")
        self.read(n, "valgrind", "--tool=callgrind", "-q",
                  "--toggle-collect=measured", "--dump-after=measured",
                  "--callgrind-out-file=" + out)
        found = []
        for i in range(2 * n):
            with open("%s.%d" % (out, i + 1), encoding="utf-8",
                      errors="replace") as dump:
                found.append(int(re.search(r"^(?:totals|summary): (\d+)",
                                           dump.read(), re.M).group(1)))
        return [found[i:i + 2] for i in range(0, 2 * n, 2)]


def bytes_ratio(one):
    """1, or more where the folded text grows faster than the input does: each
    deeper frame of a tree is a longer line."""
    few, many = (int(each[3]) for each in one)
    return max(1, (4 * BYTES + many) / (BYTES + few) / 4)


def is_slow(one):
    return int(one[1][0]) > SLOW * bytes_ratio(one) * int(one[0][0]) and \
        int(one[1][0]) > 1000000


def try_batch(reader, batch, table, failures):
    """Ratios of instructions go into the table, laws that break to failures."""
    for i, (_, _, make) in enumerate(batch):
        reader.write(i, make)
    found = reader.read(len(batch))
    for (seed, shape, _), one in zip(batch, found):
        if any("limit of" in each[2] for each in one):
            failures.append((seed, shape, one[1][1], one[1][2]))
    if os.environ.get("TABLE") or any(map(is_slow, found)):
        again = reader.read(len(batch))
        suspects = [i for i in range(len(batch)) if os.environ.get("TABLE") or
                    (is_slow(found[i]) and is_slow(again[i]))]
        for place, i in enumerate(suspects):
            reader.write(place, batch[i][2])
        for i, (few, many) in zip(
                suspects, reader.counts(len(suspects)) if suspects else ()):
            seed, shape, _ = batch[i]
            kind = found[i][1][1] or seed.split("/")[0]
            ratio = many / few / bytes_ratio(found[i])
            if ratio > LIMIT:   # hashes have a secret, drawn for each process
                reader.write(0, batch[i][2])
                few, many = reader.counts(1)[0]
                ratio = min(ratio, many / few / bytes_ratio(found[i]))
            if ratio > LIMIT:
                failures.append((seed, shape, kind, "instructions %d, %d: "
                                 "%.2f times as many" % (few, many, ratio)))
            table[kind] = max(table.get(kind, (0, "")),
                              (ratio, seed + ": " + shape))
    for (seed, _, _), one in zip(batch, found):
        table.setdefault(one[1][1] or seed.split("/")[0], (0, ""))


def main():
    data = os.path.join(os.environ["TOP"], "tests", "data")
    table, failures = {}, []
    with tempfile.TemporaryDirectory() as folder:
        reader = Reader(sys.argv[1], folder)
        batch = []
        for one in shapes(data):
            batch.append(one)
            if len(batch) == BATCH:
                try_batch(reader, batch, table, failures)
                batch = []
        try_batch(reader, batch, table, failures)
    names = sorted(set(table) | {kind for _, _, kind, _ in failures})
    print("1..%d" % len(names))
    for i, name in enumerate(names):
        own = [one for one in failures if one[2] == name]
        print("%sok %d - %s" % ("not " if own else "", i + 1, name))
        for seed, shape, _, why in own:
            print("#   %s: %s: %s" % (seed, shape, why))
        if os.environ.get("TABLE"):
            print("#   %.2f %s" % table[name])


main()
