# SPDX-License-Identifier: Apache-2.0
# Calls from many lines; a line that calls f has "f(" in it.
#
#	lines.py SECONDS
import sys
import time


def spin(n):
    x = 0
    for i in range(n):
        x = x * 31 + i & 0xffffffff
    return x


def deep(n):
    if n > 0:
        return deep(n - 1)

    return spin(2000)


# A function that is longer than a byte of the old tables.
def turn():
    spin(1000)
    a = [spin(1000), 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16,
         17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33]
    b = {'a': a, 'b': a, 'c': a, 'd': a, 'e': a, 'f': a, 'g': a, 'h': a,
         'i': a, 'j': a, 'k': a, 'l': a, 'm': a, 'n': a, 'o': a, 'p': a}
    try:
        deep(3)
        b['none']
    except KeyError:
        deep(2)
    finally:
        spin(1000)










































































































































    deep(5)
    c = sum(x * x for x in a[1:]) + sum(x + 1 for x in a[1:]) - a[2] * a[3]
    d = (a[1] + a[2]) * (a[3] + a[4]) * (a[5] + a[6]) * (a[7] + c) * a[9]
    spin(1000)
    return d


def main():
    begin = time.process_time()
    while time.process_time() - begin < float(sys.argv[1]):
        turn()


main()
