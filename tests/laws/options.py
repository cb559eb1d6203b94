#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Commands of a tool, drawn by lot: options that its --help lists, inputs
of tests/data and, where there is one, of FLAME_CORPUS.  Each has to end in
order, say why where it fails, and write and say the same by one thread and
by three; an input alone is read from a pipe, too.

    options.py TOOL RUNS SEED       (TOP, BUILD)
"""
import os
import random
import re
import subprocess
import sys

LARGEST = 1500000
SLOW = int(os.environ.get('TEST_SLOW') or 1)
# What other tests have, needs a file of its own, or is left to chance.
LEFT_OUT = {'help', 'version', 'paths-from', 'output', 'nameattr', 'jobs',
            'verbose', 'random', 'split', 'format', 'cp', 'memory-limit',
            'input-format', 'fetch', 'every', 'for', 'url-token', 'spark-events', 'price'}
# By what --help calls them.
VALUES = {
    'RE': ['TaskRunner', 'java', 'run$', '^.*$', '[a-z]+/', '.', 'x', '(a|b)',
           'main', r'\d+', 'read|write', '', 'org/.*', '(?i)RUN', '^$', 'λ'],
    'KEY[=RE]': ['thread', 'state', 'file', 'label', 'thread=main',
                 'state=RUN', 'process', 'nope'],
    'KEY[=RE][,KEY...]': ['thread', 'metric', 'state,metric', 'app,file=^.',
                          'nope'],
    'KEY': ['name', 'value', 'x'],
    'KEY=VALUE': ['thread=main', 'thread=/./', 'state=/DEF/', 'tid=1-9999',
                  'key=a'],
    'NAME': ['cpu', 'wall', 'alloc', 'lock', 'live', 'samples', 'nope', 'java',
             'mem', 'hot', 'go', 'java-lambdas', 'perl', 'main', 'rust', 'cb',
             'package', 'type', 'classic-hot'],
    'NUMBER': ['0', '1', '2', '2.5', '7', '1000'],
    'TEXT': ['abc', '</script>', 'x&y<z>"\'', ''],
    'TIME': ['0', '1s', '10s', '100ms', '-1s', '20%', '2024-01-01', '+5s'],
    'P%': ['1%', '5%', '50%'],
    'P%[,RE]': ['3%', '3%,main'],
    'N|P%': ['1', '5', '1%', '0.5%', '50%'],
    'N[%]': ['1', '0.5', '1%'],
    'SECONDS': ['1', '30'],
    'BYTES': ['500', '2000', '100000'],
    'SIZE': ['1k', '8k', '100', 'x'],
    'PIXELS': ['8', '12', '16', '400'],
    'PERCENT': ['0', '1', '0.1'],
    'SIGMAS': ['0', '2', '5'],
    'RATIO': ['10%', '0', '0.5'],
    's/RE/TO/': ['s/java/J/', 's/.*/x/', 's/a//g', 's|/|.|g', 's/(.)/$1$1/'],
    'URL': ['http://h/{path}#{line}', 'javascript:x'],
    'COLOR': ['#fff', '#123456', 'red'],
    'PEER': ['perl', 'inferno'],
    'all|LIST': ['all', 'cpu,wall', 'alloc'],
    'FILE': ['/proc/kallsyms', 'nope'],
    'DIR': ['/', '/usr', 'nope'],
    'PATH': ['profile-exec-7.jfr', '/x/y', ''],
    'ID': ['0', '1', 'driver', ''],
    'LIST': ['runnable', 'sleeping', 'runnable,sleeping'],
}
VALUES['N'] = VALUES['X'] = VALUES['F'] = VALUES['NUMBER']
FORMATS = ['html', 'svg', 'text', 'folded']
ENDS = (0, 1, 2)
TOOLS = os.environ['TOOLS']


def options_of(program):
    text = subprocess.run([program, '--help=all'], capture_output=True,
                          text=True, check=True).stdout
    found = []
    for line in text.split('\n'):
        m = re.match(r'\s+(?:-\w, )?--([a-z0-9-]+)((?:\[=\S+)?)(?: (\S+))?',
                     line)
        if not m or m[1] in LEFT_OUT:
            continue
        value = m[3] if m[3] and '  ' not in line[m.start(1):m.end(3)] else ''
        if not value:
            found.append((m[1], None))
        elif value in VALUES:
            found.append((m[1], VALUES[value]))
        elif value.isupper():
            sys.exit(f'{program}: --{m[1]} {value}: VALUES has none of these')
        else:
            found.append((m[1], value.split('|')))
    return found


def inputs():
    places = [os.path.join(os.environ['TOP'], 'tests/data')]
    if os.environ.get('FLAME_CORPUS'):
        places.append(os.environ['FLAME_CORPUS'])
    kinds = {}
    for place in places:
        for folder, _, names in sorted(os.walk(place)):
            for name in sorted(names):
                path = os.path.join(folder, name)
                if os.path.getsize(path) > LARGEST:
                    continue
                kind = 'jfr' if re.search(r'\.jfr(\.\w+)?$', name) else \
                       'answers' if 'expected' in path else 'others'
                kinds.setdefault(kind, []).append(path)
    return kinds


def run(command, path=None):
    """Exit status, what was written, what was said."""
    if os.path.exists('out'):
        os.remove('out')
    stdin = subprocess.DEVNULL
    if path:
        pipe = subprocess.Popen(['cat', path], stdout=subprocess.PIPE)
        stdin = pipe.stdout
    try:
        done = subprocess.run(command, capture_output=True, stdin=stdin,
                              timeout=60 * SLOW)
    except subprocess.TimeoutExpired:
        return None, None, b'it is too slow'
    finally:
        if path:
            stdin.close()
            pipe.wait()
    out = done.stdout
    if os.path.exists('out'):
        with open('out', 'rb') as file:
            out = file.read()
    return done.returncode, out, done.stderr


def folded(page):
    """A page or a picture names its input: what counts is what it holds."""
    fold = os.path.join(TOOLS, 'flame-fold')
    return subprocess.run([fold, '-q', '--empty', 'ok'], input=page,
                          capture_output=True).stdout


def comparable(said):
    """How many samples had no stack depends on when the first of cpu came:
    from there on only those are counted."""
    return [line for line in said.split(b'\n')
            if b'samples without a stack left out' not in line]


def problem_of(first, others):
    status, out, said = first
    if status not in ENDS or b'Sanitizer' in said or b'runtime error' in said:
        return 'it ends with %s' % status
    if status == 2 and not said:
        return 'it fails without a word'
    for name, other, all_of_it in others:
        if other[0] != status or (other[1] != out and (
                all_of_it or out[:1] != b'<' or
                folded(other[1]) != folded(out))):
            return '%s: other output, or status %s' % (name, other[0])
        if all_of_it and comparable(other[2]) != comparable(said):
            return '%s: it says something else' % name
    return None


def try_one(program, tool, options, kinds):
    arguments = []
    for name, values in random.sample(options, random.choice((0, 1, 1, 2, 2,
                                                              3, 4, 6))):
        arguments.append('--' + name if values is None else
                         '--%s=%s' % (name, random.choice(values)))
    n = 2 if tool == 'flame-diff' or '--diff' in arguments else \
        random.choice((1, 1, 1, 2, 3))
    paths = [random.choice(kinds[random.choice(sorted(kinds))])
             for _ in range(n)]
    command = [program] + arguments
    if tool != 'flame-top':
        command.append('--format=' + random.choice(FORMATS))
    command += ['-o', 'out']
    first = run(command + ['-j1'] + paths)
    others = [('-j 3', run(command + ['-j3'] + paths), True)]
    # Messages have the input's name, and so have root frames of --by file.
    if n == 1 and first[0] == 0 and not {'--by=file', '--info'} & \
            set(arguments):
        others.append(('from a pipe', run(command + ['-j2', '-'], paths[0]),
                       False))
    why = problem_of(first, others)
    if why:
        print(why + ':', ' '.join("'%s'" % word for word in command + paths))
        for name, said in [('-j 1', first)] + [o[:2] for o in others]:
            print(name + ':', said[2].decode('utf8', 'replace')[:1000])


def main():
    tool, runs, seed = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    program = os.path.join(TOOLS, tool)
    options, kinds = options_of(program), inputs()
    random.seed(tool + seed)
    for _ in range(runs):
        try_one(program, tool, options, kinds)


main()
