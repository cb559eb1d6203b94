#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/data/pprof/drop*.pb: pprof_drop.py DIRECTORY.  Stacks with
functions that drop_frames matches: at the leaf, in the middle, at the root
alone, inlined into others, with arguments, and kept by keep_frames."""
import sys


def varint(n):
    out = b''
    while n >= 0x80:
        out += bytes([n & 0x7f | 0x80])
        n >>= 7
    return out + bytes([n])


def number(field, n):
    return varint(field << 3) + varint(n)


def part(field, message):
    if isinstance(message, str):
        message = message.encode()
    return varint(field << 3 | 2) + varint(len(message)) + message


def packed(field, numbers):
    return part(field, b''.join(map(varint, numbers)))


# Functions of each location, innermost first.
PLACES = {
    1: ['main'], 2: ['work'], 3: ['malloc'], 4: ['tcmalloc::Alloc(int)'],
    5: ['leaf'], 6: ['malloc', 'caller'], 7: ['inner', 'malloc', 'outer'],
    8: ['malloc_usable'], 9: ['mallocator'], 10: ['.free(void*)'],
    11: ['operator()(int)'], 12: ['leaf', 'malloc'],
    13: ['(anonymous namespace)::pool(long)'], 14: ['xmalloc'],
}
# Leaf first.
SAMPLES = [
    [1], [2, 1], [3, 2, 1], [5, 3, 2, 1], [5, 4, 2, 1], [3], [5, 3],
    [2, 5, 3], [3, 2, 3], [5, 6, 1], [5, 7, 1], [6], [5, 6], [8, 2, 1],
    [5, 9, 2, 1], [10, 1], [11, 2, 1], [5, 12, 1], [5, 12], [13, 2, 1],
    [5, 14, 1], [3, 8, 1], [8, 3, 1], [5, 6, 3], [2, 6, 3, 6],
]
DROP = r'malloc.*|tcmalloc::.*|free|operator\(\)|' \
    r'\(anonymous namespace\)::pool'
KEEP = r'malloc_us.*'


def profile(drop, keep):
    strings = ['']

    def text(value):
        if value not in strings:
            strings.append(value)
        return strings.index(value)

    names = sorted({name for place in PLACES.values() for name in place})
    out = part(1, number(1, text('cpu')) + number(2, text('nanoseconds')))
    for i, sample in enumerate(SAMPLES):
        out += part(2, packed(1, sample) + packed(2, [1000000 << i]))
    for place, functions in PLACES.items():
        lines = b''.join(part(4, number(1, names.index(name) + 1))
                         for name in functions)
        out += part(4, number(1, place) + number(3, 4096 + place) + lines)
    for i, name in enumerate(names):
        out += part(5, number(1, i + 1) + number(2, text(name)) +
                    number(3, text('_Z' + name if '(' in name else name)))
    for field, value in ((7, drop), (8, keep)):
        if value:
            out += number(field, text(value))
    return out + b''.join(part(6, value) for value in strings)


for file, drop, keep in (('drop.pb', DROP, None), ('drop-keep.pb', DROP, KEEP),
                         ('drop-bad.pb', 'malloc(', None)):
    with open(sys.argv[1] + '/' + file, 'wb') as out:
        out.write(profile(drop, keep))
