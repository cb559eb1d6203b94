# SPDX-License-Identifier: Apache-2.0
"""Plants runs in an archive, and checks what flame-diff --since says of them.

	since.py LAW FLAME-BATCH FLAME-DIFF

Prints what differs, a line each.  A run is an event log and folded stacks, in
days from 2026-03-01 on.  Its input and the weights of its frames are drawn with
a deviation of 2 % between runs, and by chance.
"""
import datetime
import json
import math
import os
import random
import subprocess
import sys

RUNS, STEP, FRAMES = 100, 60, 20
law, batch, diff = sys.argv[1:]
rng = random.Random(law)
FIRST = datetime.datetime(2026, 3, 1, tzinfo=datetime.timezone.utc)


def date(run):
    return (FIRST + datetime.timedelta(days=run)).strftime('%Y-%m-%d')


def log(run, read, failed=False, end=True):
    """Two stages read; the third is another task that failed, and read, too."""
    start = int((FIRST + datetime.timedelta(days=run)).timestamp() * 1000)
    yield {'Event': 'SparkListenerApplicationStart', 'App Name': 'etl',
           'App ID': f'app-{run}', 'Timestamp': start}
    yield {'Event': 'SparkListenerExecutorAdded', 'Timestamp': start,
           'Executor ID': '1', 'Executor Info': {
               'Host': 'h', 'Total Cores': 1}}
    if failed:
        yield {'Event': 'SparkListenerJobStart', 'Job ID': 0,
               'Submission Time': start, 'Stage IDs': [0], 'Properties': {}}
    for task in range(3):
        info = {'Task ID': task, 'Index': 0, 'Attempt': 0, 'Executor ID': '1',
                'Host': 'h', 'Launch Time': start + 1000 * task + 1000}
        ids = {'Stage ID': task % 2, 'Stage Attempt ID': 0}
        yield {'Event': 'SparkListenerStageSubmitted', 'Stage Info': {
            **ids, 'Stage Name': f'scan {task % 2}', 'Number of Tasks': 1}}
        yield {'Event': 'SparkListenerTaskStart', **ids, 'Task Info': info}
        yield {'Event': 'SparkListenerTaskEnd', **ids,
               'Task End Reason': {'Reason': 'Success'} if task < 2 else
               {'Reason': 'ExceptionFailure', 'Class Name': 'x',
                'Description': 'y', 'Stack Trace': []},
               'Task Info': {**info, 'Finish Time': start + 1900 + 1000 * task},
               'Task Metrics': {
                   'Executor Run Time': 900, 'Input Metrics': {
                       'Bytes Read': read * 90,
                       'Records Read': read // 2 + task % 2 * (read % 2)}}}
    if failed:
        yield {'Event': 'SparkListenerJobEnd', 'Job ID': 0,
               'Completion Time': start + 7000, 'Job Result': {
                   'Result': 'JobFailed', 'Exception': {'Message': 'm'}}}
    if end:
        yield {'Event': 'SparkListenerApplicationEnd',
               'Timestamp': start + 9000}


def put(run, read, frames, **how):
    os.makedirs(f'logs{run}')
    with open(f'logs{run}/log', 'w', encoding='ascii') as f:
        f.writelines(json.dumps(e) + '\n' for e in log(run, read, **how))
    with open(f'{run}.folded', 'w', encoding='ascii') as f:
        f.writelines(f'main;{n} {w}\n' for n, w in frames.items())
    subprocess.run([batch, '-q', '--archive', 'runs', '--spark-events',
                    f'logs{run}', f'{run}.folded'], check=True, timeout=60)


def ask(*options):
    files = sorted(os.path.join(d, f) for d, _, names in os.walk('runs')
                   for f in names if f.endswith('.parquet'))
    done = subprocess.run([diff, '--quiet', '--since', 'day', '--event', 'samples',
                           *options, *files], capture_output=True,
                          text=True, timeout=60)
    if done.stderr:
        print(done.stderr)
    return done


def near(value):
    value *= rng.gauss(1, 0.02)
    return max(0, round(rng.gauss(value, math.sqrt(value))))


def plant(read, cost):
    """Of each run what it reads, and what a frame of 500 costs."""
    inputs = []
    for run in range(RUNS):
        n = round(1000 * read(run) * rng.gauss(1, 0.005))
        inputs.append(n)
        put(run, n, {f'f{i}': near(500 * cost(run, i, n / 1000))
                     for i in range(FRAMES)})
    answer = json.loads(ask('-f', 'json').stdout)
    if answer['input']['runs'] != inputs or answer['failed']:
        print('input', answer['input'], answer['failed'])
    return answer


def at_step(answer):
    """The frames of their own that are found, those beside the step noted."""
    for c in answer['changes']:
        if abs(c['run'] - 1 - STEP) > 3:
            print('found', c)
    return sorted(c['frame'] for c in answer['changes'] if c['self'])


def check_input(answer, change):
    steps = answer['input']['changes']
    if [abs(s['change'] - change) < 0.02 and s['since'] == date(STEP)
            for s in steps] != ([True] if change else []):
        print('input', steps)


def doubled():
    """Half of the frames go with the input, half do not."""
    answer = plant(lambda run: 2 if run >= STEP else 1,
                   lambda run, i, read: read if i % 2 else 1)
    check_input(answer, 1)
    if at_step(answer):
        print(answer['changes'])
    text = ask().stdout
    if f'Input: +{answer["input"]["changes"][0]["change"]:.1%} since ' \
            f'{date(STEP)} (records)' not in text:
        print(text)
    # All of the rest are frames that go with the input: the last is as those.
    gate = ask('--gate', '20%,f1')
    if gate.returncode not in (0, 3) or 'worse' in gate.stdout:
        print(gate.stdout)


def dearer():
    """The same input; f3 costs a tenth more."""
    answer = plant(lambda run: 1,
                   lambda run, i, read: 1.1 if i == 3 and run >= STEP else 1)
    check_input(answer, 0)
    if at_step(answer) != ['f3']:
        print(answer['changes'])


def weekly():
    """All goes with an input that is small on two of seven days."""
    answer = plant(lambda run: 0.4 if run % 7 > 4 else 1,
                   lambda run, i, read: read *
                   (1.1 if i == 3 and run >= STEP else 1))
    if at_step(answer) != ['f3']:
        print(answer['changes'])
    if not all(c['per-input'] for c in answer['changes']):
        print(answer['changes'])


def failed():
    for run in 0, 1, 2, 3, 5, 6:
        put(run, 1000, {'f': 10}, failed=run == 2, end=run != 5)
    answer = json.loads(ask('-f', 'json').stdout)
    if answer['failed'] != [date(2), date(5)] or \
            answer['missing'] != [date(4)]:
        print(answer['failed'], answer['missing'])
    totals = [{'run': date(run), 'state': 'no run'} if run == 4 else
              {'run': date(run), 'total': 10, 'input': 1000,
               **({'state': 'failed'} if run in (2, 5) else {})}
              for run in range(7)]
    if answer['totals'] != totals:
        print(answer['totals'])
    text = ask('--keep', 'f').stdout
    if f'  Failed: {date(2)}, {date(5)}.  Without a run: {date(4)}.' not in \
            text:
        print(text)
    ask('-o', 'page.html')
    with open('page.html', encoding='utf-8') as f:
        page = f.read()
    for run in 0, 1, 2, 3, 5, 6:
        failed_bar = ' class="f"' if run in (2, 5) else ''
        said = ', failed' if run in (2, 5) else ''
        bar = f'<rect{failed_bar} x="{4 * run}" y="0.0" width="3" ' \
            f'height="40.0"><title>{date(run)}: 10.0{said}</title>'
        if bar not in page:
            print(bar)
    for row in f'<td>{date(2)}</td><td>10.0</td><td>1000.0</td>' \
            '<td>failed</td>', f'<td>{date(3)}</td><td>10.0</td>' \
            '<td>1000.0</td><td></td>', f'<td>{date(4)}</td><td>-</td>' \
            '<td>-</td><td>no run</td>':
        if row not in page:
            print(row)


def hostile():
    """Sizes that no task has read: they are cut, and none is not known."""
    most = 2 ** 63 - 1
    for run in range(8):
        put(run, most if run == 3 else 1000, {'f': 10})
    runs = json.loads(ask('-f', 'json').stdout)['input']['runs']
    if runs != [float(most) if run == 3 else 1000 for run in range(8)]:
        print(runs)
    put(8, -1000, {'f': 10})
    answer = json.loads(ask('-f', 'json').stdout)
    if 'input' in answer or len(answer['runs']) != 9:
        print(answer)


globals()[law]()
