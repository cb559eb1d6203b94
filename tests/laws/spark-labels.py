# SPDX-License-Identifier: Apache-2.0
"""Two applications with the same ids of executors, stages and tasks: each task
of APPS runs for its seconds.  Rows of samples name them by labels in several
shapes; the bill must have the seconds of the stages that the rows are of."""
import collections
import json
import subprocess

# app: (task, stage, attempt of the stage, executor, begin, seconds)
APPS = {
    'app-20240101000000-0001': [
        (0, 0, 0, '1', 10, 4), (1, 0, 0, '2', 10, 6), (2, 1, 0, '1', 20, 8),
        (3, 1, 1, '2', 20, 2), (4, 2, 0, '2', 30, 5)],
    'app-20240101000000-0002': [
        (0, 0, 0, '1', 10, 3), (1, 7, 0, '1', 20, 9), (9, 1, 0, '2', 30, 1)],
}
ONE, TWO = APPS
T0 = 1704067200000
RUN = 'java/lang/Thread.run;org/apache/spark/executor/Executor$TaskRunner.run'


def log_of(app):
    def event(name, **members):
        return json.dumps({'Event': 'SparkListener' + name, **members}) + '\n'
    out = event('ApplicationStart', **{'App Name': 'x', 'App ID': app,
                                       'Timestamp': T0})
    for e in '12':
        out += event('ExecutorAdded', **{
            'Timestamp': T0, 'Executor ID': e,
            'Executor Info': {'Host': 'h', 'Total Cores': 1}})
    for task, stage, attempt, e, begin, seconds in APPS[app]:
        info = {'Task ID': task, 'Index': 0, 'Attempt': 0, 'Executor ID': e,
                'Host': 'h', 'Launch Time': T0 + begin * 1000,
                'Finish Time': T0 + (begin + seconds) * 1000}
        out += event('TaskEnd', **{
            'Stage ID': stage, 'Stage Attempt ID': attempt, 'Task Info': info,
            'Task End Reason': {'Reason': 'Success'},
            'Task Metrics': {'Executor Run Time': seconds * 1000,
                             'Executor CPU Time': seconds * 10**9}})
    return out + event('ApplicationEnd', Timestamp=T0 + 60000)


def rows(shape, app):
    """A row for each task, of the method work<app's last digit>_<task>."""
    for task, stage, attempt, e, _, _ in APPS[app]:
        name = 'Executor task launch worker for task 0.0 in stage ' \
               f'{stage}.{attempt} (TID {task})'
        every = {'app': app, 'executor': e, 'stage': str(stage),
                 'task': str(task), 'thread': name}
        row = {'metric': 'wall', 'unit': 'samples', 'value': 3}
        row.update({k: every[k] for k in shape.split(',') if k})
        row['stack'] = f'{RUN};a.B.work{app[-1]}_{task}'
        yield json.dumps(row, separators=(',', ':')) + '\n'


def bill(text, logs, by='stage'):
    with open('rows.ndjson', 'w', encoding='utf-8') as file:
        file.write(text)
    run = subprocess.run(
        ['flame-fold', '--event', 'cost', '--by', by] +
        [x for log in logs for x in ('--spark-events', log)] +
        ['rows.ndjson'], capture_output=True, text=True, check=True)
    sums = collections.Counter()
    for line in run.stdout.splitlines():
        stack, _, value = line.rpartition(' ')
        frames = stack.split(';')
        sums[frames[0], frames[-1]] += float(value)
    return sums, run.stderr


def wanted(app):
    """Seconds by stage.  Those of a task are not known where labels lack
    the executor."""
    sums = collections.Counter()
    for task, stage, _, _, _, seconds in APPS[app]:
        sums[str(stage)] += seconds
    return sums


def of_stages(sums, frame):
    out = collections.Counter()
    for (stage, last), value in sums.items():
        if not stage.startswith('[') and frame in last:
            out[stage] += value
    return out


N = 0


def check(good, name, why=''):
    global N
    N += 1
    print(('ok' if good else 'not ok'), N, '-', name)
    if not good:
        print('#', str(why).replace('\n', '\n# '))


def near(a, b):
    return all(abs(a[k] - b[k]) < 0.001 for k in {*a, *b})


for i, app in enumerate(APPS):
    with open(f'log{i}', 'w', encoding='utf-8') as file:
        file.write(log_of(app))
for shape in ('app,executor,stage,task,thread', 'executor,stage', 'task',
              'thread', 'executor,task', 'app,stage', 'stage', 'app,task'):
    got, said = bill(''.join(rows(shape, ONE)), ['log0'])
    check(near(of_stages(got, 'work1_'), wanted(ONE)) and
         'their stage' not in said, f'one application: {shape}', (got, said))
    if 'task' in shape or 'thread' in shape:
        exact = {(str(s), f'a/B.work1_{t}'): n for t, s, _, _, _, n in APPS[ONE]}
        exact = {(s, f.replace('/', '.')): n for (s, f), n in exact.items()}
        got = {k: v for k, v in got.items() if 'work' in k[1]}
        check(got == exact or near(collections.Counter(got),
                                  collections.Counter(exact)),
             f'one application, each task: {shape}', (got, exact))

# Of two applications only a label says which.
for shape in ('app,executor,stage', 'app,task', 'app,stage'):
    both = ''.join(rows(shape, ONE)) + ''.join(rows(shape, TWO))
    got, said = bill(both, ['log0', 'log1'])
    check(near(of_stages(got, 'work1_') + of_stages(got, 'work2_'),
              wanted(ONE) + wanted(TWO)) and 'their stage' not in said,
         f'two applications: {shape}', (got, said))
got, said = bill(''.join(rows('task', ONE)), ['log0', 'log1'])
check(not of_stages(got, 'work') and 'their stage is not known' in said,
     'two applications: the task alone names neither', (got, said))

# Labels that the log contradicts are of another application; a task that the
# log does not have, as it was cut, has a stage all the same.
got, said = bill(''.join(rows('executor,stage,task', TWO)), ['log0'])
check(near(of_stages(got, 'work2_'), collections.Counter({'0': 10, '1': 2})),
     'others\' tasks are in no stage but those that fit', (got, said))
got, said = bill(''.join(rows('app,executor,stage,task', TWO)), ['log0'])
check(not of_stages(got, 'work'), 'another application', (got, said))
print(f'1..{N}')
