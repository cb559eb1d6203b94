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
more or less, and nothing is told.

After a cut, every stack that is read is one of the whole recording, with no
more samples than there.
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


def stacks(metric):
    """Samples of each stack, without how its frames ran."""
    out = fold('--no-tiers', '--event', metric)[1].decode()
    return {line.rsplit(' ', 1)[0]: int(line.rsplit(' ', 1)[1])
            for line in out.splitlines()}


def is_one_event(found):
    """Whether what differs is one event, moved or of another weight."""
    differ = {name: found.get(name, 0) - whole.get(name, 0)
              for name in whole.keys() | found.keys()}
    weighed = differ.pop('wall', 0) != 0
    return sum(map(abs, differ.values())) + weighed <= 2


def write(data):
    with open('damaged.jfr', 'wb') as file:
        file.write(data)


def check(what, may_move):
    status, out, said = fold('--event', 'list', '-j1')
    if status not in (0, 2):
        return print(f'{what}: status {status}')
    if (status, out, said) != fold('--event', 'list', '-j2'):
        print(f'{what}: -j1 and -j2 differ')
    found = totals(out)
    if not (found == whole or told(said) or
            (may_move and is_one_event(found))):
        print(f'{what}: nothing is told of {found}, not {whole}')
    if 'chunks damaged' in said and fold('--partial', 'fail')[0] != 2:
        print(f'{what}: damaged, but --partial fail does not fail')
    return None


def check_stacks(what):
    for stack, n in stacks(metric).items():
        if n > all_stacks.get(stack, 0):
            print(f'{what}: {n} samples of {stack}')


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
        check(f'bit {bit % 8} of byte {bit // 8}', True)
else:
    metric = max(whole, key=whole.get, default='cpu')
    all_stacks = stacks(metric)
    for i in range(CUTS):
        size = len(data) * i // CUTS if i else len(data) - 1
        write(data[:size])
        check(f'cut to {size} bytes', False)
        check_stacks(f'cut to {size} bytes')
