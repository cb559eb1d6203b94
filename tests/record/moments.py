# SPDX-License-Identifier: Apache-2.0
# Short functions, each called by one function alone, that call different native
# ones: a stack that mixes them is of two moments.
#
#	moments.py SECONDS	a call lasts 0.1 to 0.2 ms, and some call others
#	moments.py SECONDS N	N times as long, and they call none
import sys
import time


def adds(n):
    s = 0
    for i in range(n):
        s += i
    return s


def joins(n):
    return len(''.join(map(str, range(n))))


def sorts(n):
    return sorted(range(n), key=lambda x: -x)[0]


def sums(n):
    return sum(x * x for x in range(n))


# Releases up to 3.10 share the code of functions that are the same.
def call_adds(n):
    return adds(n)


def call_joins(n):
    x = 1
    return joins(n)


def call_sorts(n):
    x = y = 1
    return sorts(n)


def call_sums(n):
    x = y = z = 1
    return sums(n)


def main():
    end = time.process_time() + float(sys.argv[1])
    times = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    while time.process_time() < end:
        call_adds(3000 * times)
        call_joins(1500 * times)
        if times == 1:
            call_sorts(2500)
            call_sums(4000)


main()
