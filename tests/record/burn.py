# SPDX-License-Identifier: Apache-2.0
# Spends 10, 20, 30 and 40 % of its CPU time in four functions, and prints what
# it measured: "SECONDS TEN TWENTY THIRTY FORTY".
#
#	burn.py SECONDS [WORKERS]
import os
import random
import sys
import time

spent = [0, 0, 0, 0]


def burn_ten(n):
    x = 10
    for i in range(n):
        x = x * 31 + i & 0xffffffff


def burn_twenty(n):
    x = 20
    for i in range(n):
        x = x * 31 + i & 0xffffffff


def burn_thirty(n):
    x = 30
    for i in range(n):
        x = x * 31 + i & 0xffffffff


def burn_forty(n):
    x = 40
    for i in range(n):
        x = x * 31 + i & 0xffffffff


# Where all turns are as long as some periods of the sampler, each sample is of
# the same function.
def turn():
    n = random.randrange(5000, 15000)
    for k, burn in enumerate((burn_ten, burn_twenty, burn_thirty, burn_forty)):
        begin = time.thread_time()
        burn(n * (k + 1))
        spent[k] += time.thread_time() - begin


def main():
    for _ in range(int(sys.argv[2]) if len(sys.argv) > 2 else 0):
        if os.fork() == 0:
            break
    begin = time.thread_time()
    while time.thread_time() - begin < float(sys.argv[1]):
        turn()
    all = time.thread_time() - begin
    print('%.3f' % all, *['%.4f' % (s / all) for s in spent])


main()
