#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Cuts a file of make.py at every byte.  usage: cut.py FLAME_FOLD FILE little|big

Of what is cut the samples that are whole count, and one line says that it is
cut; where its header is, it is refused.
"""
import struct
import subprocess
import sys

fold, name, order = sys.argv[1:]
mark = '>' if order == 'big' else '<'
whole = open(name, 'rb').read()
pipe = struct.unpack_from(mark + 'Q', whole, 8)[0] == 16
begin, size = struct.unpack_from(mark + 'QQ', whole, 40)
if pipe:
    begin, size = 16, len(whole) - 16


def records():
    """The end of each record, and the samples up to it."""
    at, n = begin, 0
    while at < begin + size:
        kind, misc, length = struct.unpack_from(mark + 'IHH', whole, at)
        skipped = 0
        if kind in (66, 71):
            skipped = struct.unpack_from(mark + ('Q' if kind == 71 else 'I'),
                                         whole, at + 8)[0]
        at += length + skipped
        n += kind == 9 and misc & 7 != 5     # of a guest
        yield at, n


ends = list(records())
for n in range(8, len(whole) if pipe else begin + size):
    got = subprocess.run([fold, '-i', 'perf-data', '--key', 'metric'],
                         input=whole[:n], capture_output=True)
    said = got.stderr.decode().splitlines()
    total = sum(int(line.rpartition(b'\t')[2])
                for line in got.stdout.splitlines() if line[:1] != b'#')
    want = max([k for at, k in ends if at <= n], default=0)
    clean = pipe and n in [16] + [at for at, _ in ends]
    if total != want or (not clean and got.returncode not in (0, 2)):
        print(f'{n} bytes: {total} samples, not {want}; {said}')
        break
    lines = [s for s in said if 'ends' in s or 'not all there' in s]
    if not clean and len(lines) != 1:
        print(f'{n} bytes: {said}')
        break
