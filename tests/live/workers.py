# SPDX-License-Identifier: Apache-2.0
# Two forked workers, each of which spends 7 tenths of its CPU time in heavy()
# and 3 in light(), until standard input ends.
import multiprocessing
import sys


def spin(n):
    x = 0
    for i in range(n):
        x = (x * 31 + i) & 0xffffffff
    return x


def heavy():
    for _ in range(7):
        spin(10000)


def light():
    for _ in range(3):
        spin(10000)


def work():
    while True:
        heavy()
        light()


if __name__ == '__main__':
    context = multiprocessing.get_context('fork')
    for _ in range(2):
        context.Process(target=work, daemon=True).start()
    print('ready', flush=True)
    sys.stdin.read()
