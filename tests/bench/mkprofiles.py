# SPDX-License-Identifier: Apache-2.0
"""A profile of N megabytes, from a real one on standard input:

    mkprofiles.py speedscope|trace-event|pprof MB <REAL >LARGE

The samples (of all profiles of it) are repeated, the tables stay as they are.
Events go on in time."""
import gzip
import json
import sys


def repeat(write, piece, between, n):
    """The piece n times, many at a time."""
    many = max(1, min(n, 100000 // len(piece)))
    block = piece + (between + piece) * (many - 1)
    for i in range(0, n, many):
        if i:
            write(between)
        write(block if n - i >= many else
              piece + (between + piece) * (n - i - 1))


def speedscope(data, size, out):
    """As py-spy writes it: profiles first, weights after samples."""
    file = json.loads(data)
    shares = len(file['profiles'])
    text = {}
    for i, profile in enumerate(file['profiles']):
        for key in 'samples', 'weights', 'events':
            if key in profile:
                text[i, key] = json.dumps(profile[key],
                                          separators=(',', ':'))[1:-1]
                profile[key] = [f'{i} {key}']
    rest = json.dumps(file, separators=(',', ':'))
    for (i, key), piece in text.items():
        before, rest = rest.split(json.dumps(f'{i} {key}'), 1)
        out.write(before)
        whole = len(text.get((i, 'samples'), piece) +
                    text.get((i, 'weights'), ''))
        repeat(out.write, piece, ',', max(1, size // shares // whole))
    out.write(rest)


def trace_event(data, size, out):
    text = data.decode()
    try:
        file = json.loads(text)
    except ValueError:	# the bracket may be missing
        file = json.loads(text.rstrip().rstrip(',') + ']')
    events = file['traceEvents'] if isinstance(file, dict) else file
    times = [e['ts'] for e in events if 'ts' in e]
    step = int(max(times) - min(times)) + 1
    done, shift, between = 0, 0, '['
    while done < size:
        piece = ',\n'.join(
            json.dumps(e | {'ts': e['ts'] + shift} if 'ts' in e else e,
                       separators=(',', ':')) for e in events)
        out.write(between + piece)
        done += len(piece)
        shift += step
        between = ',\n'
    out.write(']\n')


def fields(data):
    """The fields of a message: number, bytes with their tag."""
    at = 0

    def varint():
        nonlocal at
        n = shift = 0
        while True:
            byte = data[at]
            at += 1
            n |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return n
    while at < len(data):
        begin = at
        tag = varint()
        if tag & 7 == 0:
            varint()
        elif tag & 7 == 2:
            length = varint()
            at += length
        else:
            at += 8 if tag & 7 == 1 else 4
        yield tag >> 3, data[begin:at]


def pprof(data, size, out):
    if data[:2] == b'\x1f\x8b':
        data = gzip.decompress(data)
    samples, others = b'', b''
    for number, field in fields(data):
        if number == 2:
            samples += field
        else:
            others += field
    out.flush()
    # Sample types first and tables last, as Go writes them.
    head = b''.join(field for number, field in fields(others) if number == 1)
    rest = b''.join(field for number, field in fields(others) if number != 1)
    out.buffer.write(head)
    repeat(out.buffer.write, samples, b'', max(1, size // len(samples)))
    out.buffer.write(rest)


def main():
    make = {'speedscope': speedscope, 'trace-event': trace_event,
            'pprof': pprof}[sys.argv[1]]
    make(sys.stdin.buffer.read(), int(sys.argv[2]) * 1000000, sys.stdout)


main()
