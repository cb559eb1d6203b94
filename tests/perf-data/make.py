#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A small perf.data.  usage: make.py little|big file|pipe|trace|old OUT

Two events, of the software clock and of page faults; two processes of which
the second is a fork of the first; a kernel, a module of it and a program; the
records of two CPUs, in rounds, in which a name comes before the sample that
has it only by its time.  trace: a pipe with pieces of a hardware trace.  old:
magic and attributes of perf 3.2, no names of events.  What flame-fold makes of it stands in run.
"""
import struct
import sys

order, kind, out = sys.argv[1:]
big = order == 'big'
mark = '>' if big else '<'
IP, TID, TIME, CHAIN, ID, CPU, PERIOD = 1, 2, 4, 32, 64, 128, 256
TYPE = IP | TID | TIME | CHAIN | ID | CPU | PERIOD
KERNEL, USER, GUEST = 1, 2, 5
SECOND = 10 ** 9


def pack(fields, *values):
    return struct.pack(mark + fields, *values)


def text(s, size=None):
    b = s.encode() + b'\0'
    return b.ljust(size or (len(b) + 7) // 8 * 8, b'\0')


def record(kind, misc, body):
    return pack('IHH', kind, misc, 8 + len(body)) + body


def end(pid, tid, time, event, cpu):
    return pack('IIQQII', pid, tid, time * SECOND, event, cpu, 0)


def attr(config, kind_of=1):
    flags = 1 << 18             # sample_id_all
    bits = flags.to_bytes(8, 'little')
    if big:
        bits = bytes(int(f'{b:08b}'[::-1], 2) for b in bits)
    size = 64 if kind == 'old' else 112
    head = pack('IIQQQQ', kind_of, size, config, 1000, TYPE, 0) + bits
    return head.ljust(size, b'\0')


def mmap(misc, pid, start, size, offset, name, time=0):
    return record(1, misc, pack('IIQQQ', pid, pid, start, size, offset) +
                  text(name) + end(pid, pid, time, 101, 0))


def comm(pid, tid, name, time=0, misc=0):
    return record(3, misc, pack('II', pid, tid) + text(name) +
                  end(pid, tid, time, 101, 0))


def fork(pid, ppid, tid, ptid, time):
    return record(7, 0, pack('IIIIQ', pid, ppid, tid, ptid, time) +
                  end(ppid, ptid, time, 101, 0))


def sample(event, pid, tid, time, cpu, period, chain, misc=USER):
    return record(9, misc, pack('QIIQQIIQQ', chain[1], pid, tid, time * SECOND, event,
                                cpu, 0, period, len(chain)) +
                  pack('%dQ' % len(chain), *chain))


IN_KERNEL, IN_USER = 2 ** 64 - 128, 2 ** 64 - 512
K = 0xffffffff81000000
ROUND = record(68, 0, b'')
data = b''.join([
    mmap(KERNEL, 2 ** 32 - 1, K, 0x1000000, K, '[kernel.kallsyms]_text'),
    mmap(KERNEL, 2 ** 32 - 1, K + 0x2000000, 0x1000, 0,
         '/lib/modules/6.1.0/kernel/net/nf-tables.ko.xz'),
    comm(10, 10, 'app'), comm(10, 11, 'app worker'),
    mmap(USER, 10, 0x400000, 0x1000, 0, '/srv/demo/app'),
    sample(101, 10, 11, 500, 1, 7, [IN_USER, 0x400010, 0x400020]),
    sample(101, 20, 20, 700, 1, 7,
           [IN_KERNEL, K + 0x10, K + 0x2000020, IN_USER, 0x400030]),
    ROUND,
    # The other CPU: earlier than the sample above.
    fork(20, 10, 20, 10, 550),
    comm(20, 20, 'child', 600, 1 << 13),
    sample(102, 10, 10, 650, 0, 1, [IN_USER, 0x400010, 0x999]),
    ROUND,
    record(2, 0, pack('QQ', 101, 5) + end(10, 10, 800, 101, 0)),
    sample(101, 30, 30, 900, 0, 9, [IN_USER, 0x400010]),
    sample(101, 0, 0, 950, 0, 9, [IN_KERNEL, K + 0x30], KERNEL),
    sample(101, 10, 10, 960, 0, 9, [IN_USER, 0x400010], GUEST),
    ROUND,
])
attrs = [attr(0), attr(77, 2) if kind == 'trace' else attr(2)]
ids = [pack('Q', 101), pack('Q', 102)]


def string(s):
    b = text(s, 64)
    return pack('I', len(b)) + b


def description():
    names = ['cpu-clock:u', 'faults'][:1 if kind == 'trace' else 2]
    body = pack('II', len(names), len(attrs[0]))
    for a, i, name in zip(attrs, ids, names):
        body += a + pack('I', 1) + string(name) + i
    return body


def tracing():
    files = [b'name: other\nID: 7\nformat:\n', b'name: fault\nID: 77\n']
    b = b'\x17\x08\x44tracing0.6\0' + bytes([big, 8]) + pack('I', 4096)
    b += b'header_page\0' + pack('Q', 3) + b'one'
    b += b'header_event\0' + pack('Q', 3) + b'two'
    b += pack('IQ', 1, 5) + b'three' + pack('I', 1) + b'page\0'
    b += pack('I', len(files))
    b += b''.join(pack('Q', len(f)) + f for f in files)
    return b.ljust((len(b) + 7) // 8 * 8, b'\0')


def pipe():
    b = (b'2ELIFREP' if big else b'PERFILE2') + pack('Q', 16)
    for a, i in zip(attrs, ids):
        b += record(64, 0, a + i)
    b += record(80, 0, pack('Q', 3) + string('exec-7'))
    b += record(80, 0, pack('Q', 12) + description())
    if kind == 'trace':
        b += record(71, 0, pack('QQQIIII', 24, 0, 0, 0, 0, 0, 0))
        b += b'\xff' * 24
        b += record(66, 0, pack('II', len(tracing()), 0)) + tracing()
    return b + data


def file():
    old = kind == 'old'
    features = {3: string('exec-7')}
    if not old:
        features[12] = description()
        features[21] = pack('QQ', 500 * SECOND, 950 * SECOND)
    size = 104
    ids_at = size
    attrs_at = ids_at + 16
    data_at = attrs_at + 2 * (len(attrs[0]) + 16)
    bits = sum(1 << f for f in features)
    b = b'PERFFILE' if old else b'2ELIFREP' if big else b'PERFILE2'
    b += pack('QQ', size, len(attrs[0]) + 16)
    b += pack('QQ', attrs_at, 2 * (len(attrs[0]) + 16))
    b += pack('QQ', data_at, len(data)) + pack('QQ', 0, 0)
    b += pack('QQQQ', bits, 0, 0, 0) + ids[0] + ids[1]
    for n, a in enumerate(attrs):
        b += a + pack('QQ', ids_at + 8 * n, 8)
    b += data
    at = len(b) + 16 * len(features)
    for f in sorted(features):
        b += pack('QQ', at, len(features[f]))
        at += len(features[f])
    return b + b''.join(features[f] for f in sorted(features))


with open(out, 'wb') as f:
    f.write(pipe() if kind in ('pipe', 'trace') else file())
