#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/data/otlp: otlp.py DIRECTORY.  One small profile in the layout
of OTLP 1.9 and in that of 1.10, and framed."""
import struct
import sys


def varint(n):
    out = b''
    while n >= 0x80:
        out += bytes([n & 0x7f | 0x80])
        n >>= 7
    return out + bytes([n])


def number(field, n):
    return varint(field << 3) + varint(n) if n else b''


def fixed(field, n):
    return varint(field << 3 | 1) + struct.pack('<Q', n)


def part(field, message):
    if isinstance(message, str):
        message = message.encode()
    return varint(field << 3 | 2) + varint(len(message)) + message


def packed(field, numbers):
    return part(field, b''.join(varint(n) for n in numbers))


def times(field, numbers):
    return part(field, b''.join(struct.pack('<Q', n) for n in numbers))


START = 1767225600000000000
STRINGS = ['', 'cpu', 'nanoseconds', 'main', 'work', 'leaf', 'app.c',
           'thread.name', 'thread.id', '/usr/lib/libc.so.6', 'zone',
           'profile.frame.type', 'do_syscall_64']


def dictionary():
    def table(field, *messages):
        return b''.join(part(field, m) for m in messages)
    out = table(1, b'', number(4, 9))
    out += table(2, b'',
                 part(3, number(1, 1) + number(2, 10)),
                 part(3, number(1, 3) + number(2, 30)) +
                 part(3, number(1, 2) + number(2, 20)),
                 number(1, 1) + number(2, 0x1234),
                 part(3, number(1, 4)) + packed(4, [5]))
    out += table(3, b'', number(1, 3) + number(3, 6),
                 number(1, 4) + number(3, 6), number(1, 5), number(1, 12))
    out += table(5, *STRINGS)
    out += table(6, b'',
                 number(1, 7) + part(2, part(1, '[pool-1 tid=41]')),
                 number(1, 7) + part(2, part(1, 'main')),
                 number(1, 8) + part(2, number(3, 7)),
                 number(1, 10) + part(2, part(1, 'eu')),
                 number(1, 11) + part(2, part(1, 'kernel')))
    return out + table(7, b'', packed(1, [2, 1]), packed(1, [3, 1]),
                       packed(1, [4, 3, 1]))


# stack, values, attributes, times
SAMPLES = [
    (1, [10000000], [1, 4], [START + 1000000]),
    (1, [20000000], [2, 3], []),
    (2, [5000000, 6000000], [2, 3], [START + 2000000, START + 3000000]),
    (3, [7000000], [1], [START + 4000000]),
]


def data(values, attributes):
    samples = b''
    for stack, v, a, t in SAMPLES:
        fields = {1: number(1, stack), values: packed(values, v),
                  attributes: packed(attributes, a),
                  5: times(5, t) if t else b''}
        samples += part(2, b''.join(fields[i] for i in sorted(fields)))
    profile = (part(1, number(1, 1) + number(2, 2)) + samples +
               fixed(3, START) + number(4, 5000000000))
    resource = part(1, part(1, 'service.name') + part(2, part(1, 'shop')))
    scopes = part(1, part(1, 'hand')) + part(2, profile)
    return (part(1, part(1, resource) + part(2, scopes)) +
            part(2, dictionary()))


def write(name, content):
    with open(sys.argv[1] + '/' + name, 'wb') as f:
        f.write(content)


old, new = data(2, 3), data(4, 2)
write('before-1.10.otlp', old)
write('since-1.10.otlp', new)
write('framed.otlp', b'OTLP\1' + 2 * (varint(len(new)) + new))
