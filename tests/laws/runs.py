# SPDX-License-Identifier: Apache-2.0
"""Checks flame-diff --runs by another computation of the same files.

	runs.py figures|nulls|planted FLAME-DIFF

Prints what differs, a line each.
figures: means, shares, values, p and the interval of Fieller, with Student's t
by numerical integration and the prior of variances by derivatives of lgamma.
nulls: 60 pairs of equal runs; at most 3 have a finding, and none is "within".
planted: 40 pairs in which a frame does a tenth more work; it, or what calls it,
is found in at least 36, and of all frames that are found one in 20 is another
(and one more, as this is chance).
"""
import json
import math
import random
import subprocess
import sys

# Samples a run, by stack; a caller's own among them.
JOB = {
    'main;read;parse': 900, 'main;read': 150, 'main;read;copy': 300,
    'main;sort;step': 500, 'main;sort': 400, 'main;write;format;step': 250,
    'main;write;format': 200, 'main;write': 300,
}


def poisson(rng, mean):
    return max(0, round(rng.gauss(mean, math.sqrt(mean))))


def run(rng, growth=1.0, noise=0.01):
    """A run: its machine is a little faster or slower than others."""
    speed = rng.gauss(1, noise)
    return {s: poisson(rng, n * speed * (growth if 'parse' in s else 1))
            for s, n in JOB.items()}


def write(name, stacks):
    with open(name, 'w') as f:
        f.writelines(f'{s} {n}\n' for s, n in stacks.items())
    return name


def compare(before, after, *options):
    a = [write(f'a{i}', r) for i, r in enumerate(before)]
    b = [write(f'b{i}', r) for i, r in enumerate(after)]
    done = subprocess.run([tool, '--runs', '-f', 'json', *options, *a, '--', *b],
                          capture_output=True, timeout=60)
    return json.loads(done.stdout), done.returncode


def student_tail(t, df):
    """Simpson's rule over the angle whose tangent is t / sqrt(df)."""
    n, low, high = 4000, math.atan(t / math.sqrt(df)), math.pi / 2
    h = (high - low) / n

    def f(x):
        return max(math.cos(x), 0) ** (df - 1)
    area = f(low) + f(high) + sum((2 + 2 * (i % 2)) * f(low + i * h)
                                  for i in range(1, n))
    return area * h / 3 * math.exp(math.lgamma((df + 1) / 2) -
                                   math.lgamma(df / 2)) / math.sqrt(math.pi)


def student_quantile(tail, df):
    low, high = 0.0, 1e4
    for _ in range(200):
        middle = (low + high) / 2
        low, high = ((middle, high) if student_tail(middle, df) > tail
                     else (low, middle))
    return low


def digamma(x, h=1e-4):
    return (math.lgamma(x + h) - math.lgamma(x - h)) / (2 * h)


def trigamma(x):
    return (math.pi ** 2 / 6 - sum(1 / k ** 2 - 1 / (k - 1 + x) ** 2
                                   for k in range(1, 200000)) -
            (1 / 200000 - 1 / (199999 + x)))


def variance(values):
    mean = sum(values) / len(values)
    return sum((v - mean) ** 2 for v in values) / (len(values) - 1)


def hypotheses(runs):
    """Values of each frame in each run, in total and itself; each once."""
    rows = set()
    names = {f for r in runs for s in r for f in s.split(';')}
    for name in names:
        rows.add(tuple(sum(n for s, n in r.items() if name in s.split(';'))
                       for r in runs))
        rows.add(tuple(sum(n for s, n in r.items()
                           if s.split(';')[-1] == name) for r in runs))
    return [r for r in rows if sum(v > 0 for v in r) > 1]


def prior(rows, na):
    """The common variance in units of Poisson's, and its freedom."""
    df = len(rows[0]) - 2
    logs = []
    for r in rows:
        mean = sum(r) / len(r)
        if mean >= 5:
            s2 = ((na - 1) * variance(r[:na]) +
                  (len(r) - na - 1) * variance(r[na:])) / df / mean
            logs.append(math.log(max(s2, 1e-3)))
    mean = sum(logs) / len(logs) - digamma(df / 2) + math.log(df / 2)
    spread = variance(logs) - trigamma(df / 2)
    if spread <= 0:
        return max(math.exp(mean), 1), 1e6
    low, high = 1e-3, 1e6
    for _ in range(60):
        middle = math.sqrt(low * high)
        low, high = ((middle, high) if trigamma(middle) > spread
                     else (low, middle))
    return max(math.exp(mean + digamma(low) - math.log(low)), 1), 2 * low


def near(what, seen, wanted, part=1e-4):
    if abs(seen - wanted) > part * abs(wanted) + 1e-12:
        print(f'{what}: {seen}, not {wanted}')


def check_figures(change, values, na, usual, freedom):
    a, b = values[:na], values[na:]
    x, y, pooled = sum(a) / na, sum(b) / len(b), sum(values) / len(values)
    v, df = [], []
    for side in (a, b):
        own = variance(side)
        both = ((freedom * usual * pooled + (len(side) - 1) * own) /
                (freedom + len(side) - 1))
        v.append(max(own, both, pooled) / len(side))
        df.append(freedom + len(side) - 1)
    error = math.sqrt(sum(v))
    free = sum(v) ** 2 / sum(u * u / d for u, d in zip(v, df))
    near('before', change['before'], x)
    near('after', change['after'], y)
    near('change', change['change'], y / x - 1)
    near('p', change['p'], 2 * student_tail(abs(y - x) / error, free), 1e-3)
    for key in ('low', 'high'):
        ratio = change[key] + 1
        t = abs(y - ratio * x) / math.sqrt(v[1] + ratio ** 2 * v[0])
        near(key, t, student_quantile(0.025, free), 1e-3)


def figures():
    rng = random.Random(5)
    before = [run(rng) for _ in range(6)]
    after = [run(rng, 1.2) for _ in range(5)]
    report, _ = compare(before, after)
    rows = hypotheses(before + after)
    usual, freedom = prior(rows, 6)
    if [c['frame'] for c in report['changes']] != ['parse']:
        print('changes:', report['changes'])
        return
    near('compared', report['frames_compared'], len(rows))
    change = report['changes'][0]
    values = [r['main;read;parse'] for r in before + after]
    if change['runs_before'] + change['runs_after'] != values:
        print('values:', change, values)
    check_figures(change, values, 6, usual, freedom)
    check_figures(report['total'], [sum(r.values()) for r in before + after], 6,
                  usual, freedom)


def nulls():
    rng = random.Random(6)
    found = within = 0
    for i in range(60):
        n = 3 + i % 4
        report, status = compare([run(rng, 1, 0.03) for _ in range(n)],
                               [run(rng, 1, 0.03) for _ in range(n)],
                               '--gate', '3%')
        found += bool(report['changes'])
        within += status == 0
    if found > 3 or within:
        print(f'{found} of 60 equal pairs have a finding, {within} "within"')


def planted():
    rng = random.Random(7)
    named = other = 0
    for _ in range(40):
        report, _ = compare([run(rng) for _ in range(8)],
                          [run(rng, 1.1) for _ in range(8)])
        right = [c for c in report['changes']
                 if c['frame'] in ('parse', 'read') and not c['self']]
        named += bool(right)
        other += len(report['changes']) - len(right)
    if named < 36 or other > (named + other) / 20 + 1:
        print(f'found in {named} of 40, other frames: {other}')


tool = sys.argv[2]
{'figures': figures, 'nulls': nulls, 'planted': planted}[sys.argv[1]]()
