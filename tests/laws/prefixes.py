# SPDX-License-Identifier: Apache-2.0
"""
Prints a line for each prefix of logs: its name, a tab, and the texts that are
not read after it as without it.

    prefixes.py FLAME_FOLD PROBES_LIST DATA
"""
import html
import json
import os
import subprocess
import sys

fold, listed, data = sys.argv[1:4]


def clock(n):
    return '08:%02d:%02d' % (n // 60 % 60, n % 60)


def iso(n):
    return '2026-11-28T%s.%03dZ' % (clock(n), n % 1000)


# A function of a line's number and text.
PREFIXES = {
    'kubectl --timestamps': lambda n, s: iso(n) + ' ' + s,
    'kubectl --prefix': lambda n, s: '[pod/job-exec-1/spark] ' + s,
    'docker compose': lambda n, s: 'job-1  | ' + s,
    'docker compose -t': lambda n, s: 'job-1  | %s %s' % (iso(n), s),
    'stern in colour':
        lambda n, s: '\x1b[32mjob-exec-1\x1b[0m \x1b[1mspark\x1b[0m ' + s,
    'CRI': lambda n, s: iso(n) + ' stdout F ' + s,
    'journalctl': lambda n, s: 'Nov 28 %s node1 job[42]: %s' % (clock(n), s),
    'GitHub Actions':
        lambda n, s: '2026-11-28T%s.1234567Z %s' % (clock(n), s),
    'gh run view --log':
        lambda n, s: 'build\tRun the job\t%s %s' % (iso(n), s),
    'GitLab': lambda n, s: iso(n) + ' 01O ' + s,
    'Jenkins': lambda n, s: '[%s] %s' % (iso(n), s),
    'Jenkins, clock': lambda n, s: clock(n) + '  ' + s,
    'Maven': lambda n, s: '[INFO] ' + s,
    'log4j':
        lambda n, s: '2026-11-28 %s,123 INFO  [main] a.b.C - %s' %
        (clock(n), s),
    'Spark': lambda n, s: '26/11/28 %s INFO Executor: %s' % (clock(n), s),
    'logback': lambda n, s: 'INFO  [main] - ' + s,
    'logback, a date dd.MM.yyyy':
        lambda n, s: '28.11.2026 %s,123 INFO [main] c.X - %s' % (clock(n), s),
    'a date without a clock': lambda n, s: '2026-11-28 INFO ' + s,
    'Python': lambda n, s: 'INFO:root:' + s,
    'mail': lambda n, s: '> ' + s,
    'cat -n': lambda n, s: '%6d\t%s' % (n + 1, s),
    'grep -n': lambda n, s: '%d:%s' % (n + 1, s),
    'colours': lambda n, s: '\x1b[36m' + s + '\x1b[0m',
    'HTML': lambda n, s: html.escape(s),
    'CSV': lambda n, s: '%s,"%s"' % (iso(n), s.replace('"', '""')),
    'TSV': lambda n, s: '%d\t%s' % (1764316800000 + n, s),
    'syslog 5424':
        lambda n, s: '<14>1 %s node1 job 42 - - %s' % (iso(n), s),
    'Spring Boot':
        lambda n, s: '2026-11-28T%s.123+01:00  INFO 42 --- [main] a.b.C  : %s'
        % (clock(n), s),
    'klog':
        lambda n, s: 'I1128 %s.123456       1 a.go:12] %s' % (clock(n), s),
    'JSON': lambda n, s: json.dumps({'time': iso(n), 'message': s}),
}


def run(text):
    p = subprocess.run([fold, '-q', '-'], input=text.encode(),
                       stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return p.returncode, p.stdout


def texts():
    """Samples of lines that are read."""
    for row in open(listed):
        path, kind = row.rstrip('\n').split('\t')[:2]
        if kind in NOT_TEXT:
            continue
        with open(os.path.join(data, path), 'rb') as f:
            try:
                text = f.read().decode()
            except UnicodeDecodeError:
                continue
        if not text or text[0] in '{[<\ufeff' or '\0' in text:
            continue
        # Logs already; a table that needs -i tree.
        if path.startswith('logs/') or path == 'tree/table.txt':
            continue
        status, plain = run(text)
        if plain and status == 0:
            yield path, text, plain


# Recordings, archives and event logs.
NOT_TEXT = {'-', 'jfr', 'pprof', 'zip', 'tar', 'yarn', 'spark-page'}

samples = list(texts())
for name, wrap in PREFIXES.items():
    wrong = []
    for path, text, plain in samples:
        lines = text.split('\n')
        end = ''
        if not lines[-1]:
            lines.pop()
            end = '\n'
        wrapped = '\n'.join(wrap(n, s.rstrip('\r'))
                            for n, s in enumerate(lines)) + end
        if run(wrapped) != (0, plain):
            wrong.append(path)
    print('%s, %d texts\t%s' % (name, len(samples), ' '.join(wrong)))
