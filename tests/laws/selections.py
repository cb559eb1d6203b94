#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Options of a tool, as its --help=all lists them: each that selects gets a
value that matches nothing.  The status is 2, standard error names the option
and what there is, and nothing is written.  An option that stands in no list
below is an error, so that a new one is thought of.

    selections.py TOOL       (TOP; in a folder with span.jfr)
"""
import glob
import os
import re
import subprocess
import sys

# Option, value that matches nothing, what the message has to hold; SPANS: of
# the recording with spans.
JFR = os.environ['TOP'] + '/tests/data/jfr/spark-cpu-wall.jfr'
SPANS = 'span.jfr'
SELECTS = {
    'event': [('cpuu', 'did you mean cpu', JFR)],
    'events': [('cpuu,wlal', 'did you mean|there is', JFR)],
    'thread': [('Attahc', 'did you mean Attach Listener', JFR)],
    'state': [('x', 'there is STATE_', JFR)],
    'tag': [('stage_x', 'did you mean stage_1', SPANS)],
    'latency': [('1h', 'no span is so long', SPANS)],
    'leak': [(None, 'there is cpu|there is wall', JFR)],
    'from': [('2030-01-01', 'it goes from 2026', JFR)],
    'to': [('2000-01-01', 'it goes from 2026', JFR)],
    'label': [('thread=maim', 'did you mean main', JFR),
              ('stage=9', 'there are: |no stage is known', JFR),
              ('tid=1-2', 'there is [0-9]', JFR),
              ('thread=^main', '/RE/', JFR)],
    'keep': [('TaskRuner', 'did you mean TaskRunner', JFR),
             ('zzzzzzzz', 'there is ', JFR)],
    'drop': [('.', 'all stacks have such a frame', JFR)],
    'include': [('mian', 'there is |did you mean', JFR)],
    'exclude': [('.*', 'all stacks have such a frame', JFR)],
    'root': [('TaskRuner', 'did you mean TaskRunner', JFR)],
    'root-innermost': [('TaskRuner', 'did you mean TaskRunner', JFR)],
    'grain': [('99999999', 'the samples weigh ', JFR)],
}
# They name frames, but keep every sample; or say what a value means.
CHANGES = set('''by classify collapse-recursion cut depth dot executor hide
    join join-start merge-processes min no-tiers norm overlap rename reverse root-keep-rest
    price simple skip spark-events threads tidy key bci column lines tail total
    unpruned weight'''.split())
# Headings of --help=all below which every option has to be known.
HEADS = ('Samples to take', 'Stacks, and what becomes of them')
# Of the other headings these select.
OTHERS = {'events'}
# Means another thing there; pages of all events refuse it.
NOT_OF = {('flame-record', 'event'), ('flame-record', 'events'),
          ('flame-batch', 'leak')}


def options_of(tool):
    text = subprocess.run([tool, '--help=all'], capture_output=True,
                          text=True, check=True).stdout
    head, found = '', []
    for line in text.split('\n'):
        m = re.match(r'\s+(?:-\w, )?--([a-z0-9-]+)', line)
        if not m:
            head = line.rstrip(':') if line and line[0] != ' ' else head
        elif (tool, m[1]) in NOT_OF:
            continue
        elif head in HEADS or m[1] in OTHERS:
            found.append(m[1])
    return found


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
        return [['-o', 'out.html']]
    if tool in ('flame-diff', 'flame-top'):
        return [['-o', 'out'], []]
    return [['-o', 'out.html'], ['-f', 'folded'], ['-f', 'pprof'],
            ['-f', 'svg', '-o', 'out.svg']]


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
    tool = sys.argv[1]
    for name in options_of(tool):
        if name in CHANGES:
            continue
        if name not in SELECTS:
            print(tool + ': --' + name + ': is in no list of this test')
        for value, wanted, path in SELECTS.get(name, []):
            if tool == 'flame-record' and name == 'label':
                value = 'thread=zzz'
            problems(tool, name, value, wanted, path)


main()
