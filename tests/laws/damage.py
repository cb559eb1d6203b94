# SPDX-License-Identifier: Apache-2.0
"""What is read of a damaged recording, compared with the whole one.

	damage.py flips|cuts FLAME-FOLD RECORDING

Prints what breaks a law, a line each; nothing if all hold:
- no signal, no status but 0 and 2;
- where events of the whole are missing, a line on standard error has the
  number of them, or of more; --partial fail ends with 2 then;
- one thread and two give the same bytes, the same messages.

A flip that changes only a value cannot be seen: a number of samples that an
event stands for, or an event's type where another has the same layout.  So
after a flip, one event may have moved from one metric to another, or weigh
more or less, and nothing is told: two metrics may differ, not more.
"""
import random
import re
import subprocess
import sys

FLIPS, CUTS, HEADER = 60, 100, 68


def fold(*arguments):
    done = subprocess.run([tool, *arguments, 'damaged.jfr'],
                          capture_output=True, timeout=60)
    return done.returncode, done.stdout, done.stderr.decode()


def totals(text):
    """Samples of each metric, from --event list."""
    return {line.split()[0]: int(line.split()[1])
            for line in text.decode().splitlines()[1:]}


def told(said):
    """Whether lines tell of damage or of stacks that are not there."""
    return re.search(r'chunks damaged|not finished|[1-9]\d* name a stack',
                     said)


def write(data):
    with open('damaged.jfr', 'wb') as file:
        file.write(data)


def check(what, metrics_may_differ):
    status, out, said = fold('--event', 'list', '-j1')
    if status not in (0, 2):
        return print(f'{what}: status {status}')
    if (status, out, said) != fold('--event', 'list', '-j2'):
        print(f'{what}: -j1 and -j2 differ')
    found = totals(out)
    differ = [name for name in whole.keys() | found.keys()
              if whole.get(name) != found.get(name)]
    if len(differ) > metrics_may_differ and not told(said):
        print(f'{what}: nothing is told, but these differ: {differ}')
    if 'chunks damaged' in said and fold('--partial', 'fail')[0] != 2:
        print(f'{what}: damaged, but --partial fail does not fail')
    return None


law, tool, name = sys.argv[1:]
with open(name, 'rb') as recording:
    data = recording.read()
write(data)
whole = totals(fold('--event', 'list')[1])
draw = random.Random(len(data))
if law == 'flips':
    for _ in range(FLIPS):
        bit = draw.randrange(HEADER * 8, len(data) * 8)
        damaged = bytearray(data)
        damaged[bit // 8] ^= 1 << bit % 8
        write(damaged)
        check(f'bit {bit % 8} of byte {bit // 8}', 2)
else:
    for i in range(CUTS):
        size = len(data) * i // CUTS if i else len(data) - 1
        write(data[:size])
        check(f'cut to {size} bytes', 0)
