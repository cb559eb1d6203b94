# SPDX-License-Identifier: Apache-2.0
"""Compares what is read of a damaged recording with the whole one.

	damage.py flips|places|cuts FLAME-FOLD RECORDING

Prints what breaks a law, a line each; nothing if all hold:
- no signal, no status but 0 and 2;
- where events of the whole are missing, a line on standard error has the
  number of them, or of more; --partial fail ends with 2 then;
- one thread and two write the same bytes, the same messages.

"flips" flips bits anywhere after the header, "places" in the header, in sizes
and types of events, and in metadata.  A flip that changes only a value cannot
be seen: a number of samples that an event stands for, or an event's type where
another has the same layout.  So after a flip, one event may have moved from
one metric to another, or be missing, or weigh more or less, and nothing is
reported.  Names in metadata have no sum either: a class may get another name,
and all of its events be listed under that.

After a cut, every stack that is read is one of the whole recording, with no
more samples than there.  Of a recording of one chunk, recording.py says how
many events are whole and can be named: exactly as many are read.
"""
import collections
import random
import re
import subprocess
import sys

import recording

FLIPS, PLACES, CUTS, HEADER = 30, 8, 100, recording.HEADER
EVENT = 4


def fold(*arguments):
    done = subprocess.run([tool, *arguments, 'damaged.jfr'],
                          capture_output=True, timeout=60)
    return done.returncode, done.stdout, done.stderr.decode()


def totals(text):
    """Samples of each metric, from --event list."""
    return {line.split()[0]: int(line.split()[1])
            for line in text.decode().splitlines()[1:]}


def reported(said):
    """How many events the lines report at most; -1: they report no damage.

    Where they report bytes only, an event has EVENT bytes or more.
    """
    if re.search('nothing of it can be drawn|not a profile of a known',
                 said):
        return sum(whole.values())
    if not re.search(r'chunks damaged|not finished|[1-9]\d* name a stack',
                     said):
        return -1
    events = re.findall(r'(\d+)(?: or more events| name a stack)', said)
    lost = re.findall(r'(\d+) bytes (?:lost|cut off)', said)
    return max(sum(map(int, events)), sum(map(int, lost)) // EVENT)


def stacks(metric):
    """Samples of each stack, without how its frames ran."""
    out = fold('--no-tiers', '--event', metric)[1].decode()
    return {line.rsplit(' ', 1)[0]: int(line.rsplit(' ', 1)[1])
            for line in out.splitlines()}


def missing(found):
    """Events that are not there; those of wall weigh more than one."""
    wall = whole.get('wall', 0) - found.get('wall', 0)
    events = sum(whole.values()) - sum(found.values()) - wall
    return max(events, 0) + (wall > 0)


def is_one_event(found):
    """Whether what differs is one event, moved or of another weight."""
    differ = {name: found.get(name, 0) - whole.get(name, 0)
              for name in whole.keys() | found.keys()}
    weighed = differ.pop('wall', 0) != 0
    return sum(map(abs, differ.values())) + weighed <= 2


def is_right(found, said, cut_off):
    """How many events or chunks followed a cut is not known."""
    if cut_off:
        return found == whole or reported(said) >= 0
    if reported(said) >= 0:
        return missing(found) <= reported(said) + 1
    return found == whole or is_one_event(found) or missing(found) == 0


def write(data):
    with open('damaged.jfr', 'wb') as file:
        file.write(data)


def check(what, cut_off=False):
    status, out, said = fold('--event', 'list', '-j1')
    if status not in (0, 2):
        return print(f'{what}: status {status}')
    if (status, out, said) != fold('--event', 'list', '-j2'):
        print(f'{what}: -j1 and -j2 differ')
    found = totals(out)
    if not is_right(found, said, cut_off):
        print(f'{what}: {missing(found)} events are missing: {said!r}')
    if 'chunks damaged' in said and fold('--partial', 'fail')[0] != 2:
        print(f'{what}: damaged, but --partial fail does not fail')
    return None


def flip(bit, what=''):
    damaged = bytearray(data)
    damaged[bit // 8] ^= 1 << bit % 8
    write(damaged)
    check(f'{what}bit {bit % 8} of byte {bit // 8}')


def places(chunk):
    """(name, first bit, bit after the last) of what is flipped."""
    events = [event for event in chunk.events if event[2] > 1]
    for begin, end, _ in draw.sample(events, min(PLACES, len(events))):
        kind, fields = chunk.parts(begin)
        yield 'size: ', begin, kind
        yield 'type: ', kind, fields
        yield 'fields: ', fields, end
    for begin, end, kind in chunk.events:
        for _ in range(PLACES * (kind == 0)):
            yield 'metadata: ', begin, end
    for _ in range(PLACES):
        yield 'header: ', 0, HEADER


def check_stacks(what, metric, all_stacks):
    for stack, n in stacks(metric).items():
        if n > all_stacks.get(stack, 0):
            print(f'{what}: {n} samples of {stack}')


def check_named(what, chunk, event, size):
    named = chunk.count_named(event, size)
    found = sum(stacks(event).values())
    if named != found:
        print(f'{what}: {found} of {event}, not {named}')


def cut():
    metric = max(whole, key=whole.get, default='cpu')
    all_stacks = stacks(metric)
    chunk = recording.Chunk(data)
    events = collections.Counter(name for _, name, _ in chunk.samples)
    event = max(events, key=events.get, default=None)
    for i in range(CUTS):
        size = len(data) * i // CUTS if i else len(data) - 1
        write(data[:size])
        check(f'cut to {size} bytes', True)
        check_stacks(f'cut to {size} bytes', metric, all_stacks)
        if event and chunk.size == len(data):
            check_named(f'cut to {size} bytes', chunk, event, size)


law, tool, name = sys.argv[1:]
with open(name, 'rb') as file:
    data = file.read()
write(data)
whole = totals(fold('--event', 'list')[1])
draw = random.Random(len(data))
if law == 'flips':
    for _ in range(FLIPS):
        flip(draw.randrange(HEADER * 8, len(data) * 8))
elif law == 'places':
    for what, begin, end in places(recording.Chunk(data)):
        flip(draw.randrange(begin * 8, end * 8), what)
else:
    cut()
