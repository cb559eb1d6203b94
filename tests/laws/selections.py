#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Options of a tool, as its --help=all lists them: each that selects, as its
row says, gets values that match nothing.  The status is 2, standard error names
the option and what there is, and nothing is written.

    selections.py TOOL       (TOP, BUILD; in a folder with span.jfr)
"""
import glob
import os
import re
import subprocess
import sys

# SPANS: a recording with spans.
JFR = os.environ['TOP'] + '/tests/data/jfr/spark-cpu-wall.jfr'
SPANS = 'span.jfr'
# By what an option selects: values of which one at least matches nothing, and
# what the message has to hold then.
NOTHING = {
    'metric': [('zzzzzzzz', 'there is ', JFR)],
    'metrics': [('zzzzzzzz', 'there is ', JFR)],
    'value': [('zzzzzzzz', 'there is |is known there', JFR),
              ('zzzzzzzz', 'there is |is known there', SPANS)],
    'label': [('thread=zzzzzzzz', 'there is ', JFR)],
    'time': [('2030-01-01', 'it goes from 2026', JFR),
             ('2000-01-01', 'it goes from 2026', JFR)],
    'length': [('1h', 'no span is so long', SPANS)],
    'frame': [('zzzzzzzz', 'there is ', JFR)],
    'no-frame': [('.', 'all stacks have such a frame', JFR),
                 ('.*', 'all stacks have such a frame', JFR)],
    'weight': [('99999999', 'the samples weigh ', JFR)],
}
# Nearly right, and right in part.
MISSPELT = {
    'event': [('cpuu', 'did you mean cpu', JFR)],
    'events': [('cpuu,wlal', 'did you mean|there is', JFR)],
    'thread': [('Attahc', 'did you mean Attach Listener', JFR)],
    'state': [('x', 'there is STATE_', JFR)],
    'tag': [('stage_x', 'did you mean stage_1', SPANS)],
    'label': [('thread=maim', 'did you mean main', JFR),
              ('stage=9', 'there are: |no stage is known', JFR),
              ('tid=1-2', 'there is [0-9]', JFR),
              ('thread=^main', '/RE/', JFR)],
    'keep': [('TaskRuner', 'did you mean TaskRunner', JFR)],
    'include': [('mian', 'there is |did you mean', JFR)],
    'root': [('TaskRuner', 'did you mean TaskRunner', JFR)],
    'root-innermost': [('TaskRuner', 'did you mean TaskRunner', JFR)],
}
# Means another thing there; pages of all events refuse it.
NOT_OF = {('flame-record', 'event'), ('flame-record', 'events'),
          ('flame-batch', 'leak')}


def rows():
    """Name and by what it selects, of all options that do."""
    text = subprocess.run([os.environ['BUILD'] + '/tests/laws/list-selecting'],
                          capture_output=True, text=True, check=True).stdout
    return dict(line.split() for line in text.splitlines())


def options_of(tool):
    """Name and whether it has an argument."""
    text = subprocess.run([tool, '--help=all'], capture_output=True,
                          text=True, check=True).stdout
    found = re.findall(r'(?m)^ +(?:-\w, )? *--([a-z0-9-]+)( [^ ])?', text)
    return [(name, bool(argument)) for name, argument in found
            if (tool, name) not in NOT_OF]


def inputs_of(tool, path):
    if tool == 'flame-diff':
        return [path, path]
    if tool == 'flame-record':
        return ['--', 'sh', '-c',
                'i=0; while [ $i -lt 99999 ]; do i=$((i + 1)); done']
    return [path]


def formats_of(tool, name):
    """Whether it is written elsewhere, and to standard output."""
    if tool == 'flame-batch':
        return [['-o', 'site']]
    if name == 'events':
        return [['--key', 'thread', '-o', 'out']] if tool == 'flame-top' else \
               [['-o', 'out.html']]
    if tool in ('flame-diff', 'flame-top'):
        return [['-o', 'out'], []]
    return [['-o', 'out.html'], ['-f', 'folded'], ['-f', 'pprof'],
            ['-f', 'svg', '-o', 'out.svg']]


def selects(tool, name, value, path):
    """Whether the option leaves nothing, and is not refused."""
    command = [tool, '--' + name + ('' if value is None else '=' + value)]
    done = subprocess.run(command + formats_of(tool, name)[0] +
                          inputs_of(tool, path), capture_output=True,
                          stdin=subprocess.DEVNULL)
    subprocess.run('rm -rf out* site', shell=True, check=True)
    return b'nothing was selected' in done.stderr


def problems(tool, name, value, wanted, path):
    option = '--' + name + ('' if value is None else '=' + value)
    for output in formats_of(tool, name):
        command = [tool, option] + output + inputs_of(tool, path)
        if tool == 'flame-record':
            command[1:1] = ['-F', '999']
        done = subprocess.run(command, capture_output=True,
                              stdin=subprocess.DEVNULL)
        said = done.stderr.decode('utf8', 'replace')
        why = []
        if done.returncode != 2:
            why.append('status %d' % done.returncode)
        if done.stdout or glob.glob('out*') or os.path.exists('site'):
            why.append('something is written')
        if not re.search('nothing was selected by --' + name, said):
            why.append('the option is not named')
        # A recording cannot be read again.
        if tool != 'flame-record' and not re.search(wanted, said):
            why.append('what there is is not named')
        if why:
            print(' '.join(command) + ': ' + ', '.join(why) + ': ' + said)
        if output == formats_of(tool, name)[0]:
            allowed(command)
        subprocess.run('rm -rf out* site', shell=True, check=True)


def allowed(command):
    """--empty ok makes it a result of nothing."""
    ok = subprocess.run(command[:1] + ['--empty', 'ok'] + command[1:],
                        capture_output=True, stdin=subprocess.DEVNULL)
    if ok.returncode != 0:
        print(' '.join(command) + ': status %d with --empty ok: %s' %
              (ok.returncode, ok.stderr.decode('utf8', 'replace')))


def main():
    tool, by = sys.argv[1], rows()
    for name, has_value in options_of(tool):
        if name not in by:
            continue
        cases = [(value if has_value else None, wanted, path)
                 for value, wanted, path in NOTHING[by[name]]]
        if len(cases) > 1:
            cases = [case for case in cases
                     if selects(tool, name, case[0], case[2])]
        if not cases:
            print(tool + ': --' + name + ': no value matches nothing')
        for value, wanted, path in cases + MISSPELT.get(name, []):
            problems(tool, name, value, wanted, path)


main()
