# SPDX-License-Identifier: Apache-2.0
"""What was written, as folded text: written.py FORMAT < FILE.  Of pprof, what
`go tool pprof -raw` prints, with names as they are shown."""
import json
import re
import sys


def clean(name):
    return ''.join(' ' if ord(c) < 32 or ord(c) == 127 else c
                   for c in name.replace(';', ':'))


def ndjson(file):
    for line in file:
        row = json.loads(line)
        yield row['stack'], row['value']


def tsv(file):
    head = next(file).rstrip('\n').split('\t')
    assert head[:3] == ['metric', 'unit', 'value'] and head[-1] == 'stack'
    for line in file:
        row = line.rstrip('\n').split('\t')
        assert len(row) == len(head), line
        yield row[-1], int(row[2])


def speedscope(file):
    whole = json.load(file)
    assert whole['$schema'].endswith('app/file-format-schema.json')
    frames = [clean(f['name']) for f in whole['shared']['frames']]
    for profile in whole['profiles']:
        if profile['type'] == 'evented':
            yield from evented(profile, frames)
            continue
        weights = profile['weights']
        assert profile['endValue'] == sum(weights)
        assert len(weights) == len(profile['samples'])
        for stack, weight in zip(profile['samples'], weights):
            yield ';'.join(frames[i] for i in stack), weight


def evented(profile, frames):
    stack, last = [], profile['startValue']
    for event in profile['events']:
        assert last <= event['at'] <= profile['endValue']
        if stack:
            yield ';'.join(frames[i] for i in stack), event['at'] - last
        last = event['at']
        if event['type'] == 'O':
            stack.append(event['frame'])
        else:
            assert event['type'] == 'C' and stack.pop() == event['frame']
    assert not stack


def d3(file):
    sys.setrecursionlimit(100000)
    nodes = [('', json.load(file), True)]
    while nodes:
        path, node, root = nodes.pop()
        if not root:
            path += (';' if path else '') + clean(node['name'])
        children = node.get('children', [])
        nodes += [(path, c, False) for c in children]
        weight = node['value'] - sum(c['value'] for c in children)
        assert weight >= 0
        yield path, weight


def pprof(file):
    samples, names, section = [], {}, ''
    for line in file:
        if re.fullmatch(r'[A-Z]\w+:?\n', line):
            section = line.strip(':\n')
        elif section == 'Samples':
            m = re.fullmatch(r' +(-?\d+): ?([\d ]*)\n', line)
            if m:
                samples.append((int(m[1]), m[2].split()))
        elif section == 'Locations':
            m = re.match(r' +(\d+): 0x0 (?:M=\d+ )?(.*?) \S*:\d+:\d+ s=', line)
            names[m[1]] = clean(m[2])
    for weight, stack in samples:
        yield ';'.join(names[i] for i in reversed(stack)), weight


sys.stdin.reconfigure(encoding='utf-8', errors='surrogateescape')
sys.stdout.reconfigure(encoding='utf-8', errors='surrogateescape')
for stack, weight in globals()[sys.argv[1]](sys.stdin):
    if weight:
        print(stack, weight)
