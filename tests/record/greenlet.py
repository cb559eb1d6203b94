# SPDX-License-Identifier: Apache-2.0
# Two greenlets that switch, of 30 and 70 % of the CPU time; prints
# "SECONDS THIRTY SEVENTY".
#
#	greenlet.py SECONDS [gevent]
import sys
sys.path.pop(0)		# this file has the name of the package

import random
import time

spent = {30: 0.0, 70: 0.0}


# Where all are as long as some periods of the sampler, each sample is of the same
# function.
def burn(part):
    begin, x = time.thread_time(), 0
    end = begin + part / 1e4 * random.uniform(0.5, 1.5)
    while time.thread_time() < end:
        for i in range(1000):
            x += i & 7
    spent[part] += time.thread_time() - begin


def thirty(switch, turns):
    for _ in range(turns):
        burn(30)
        switch()


def seventy(switch, turns):
    for _ in range(turns):
        burn(70)
        switch()


def by_greenlet(turns):
    from greenlet import getcurrent, greenlet
    main = getcurrent()
    both = greenlet(thirty), greenlet(seventy)
    for one in both:
        one.switch(main.switch, turns)
    for _ in range(turns - 1):
        for one in both:
            one.switch()


def by_gevent(turns):
    import gevent
    gevent.joinall([gevent.spawn(one, lambda: gevent.sleep(0), turns)
                    for one in (thirty, seventy)])


turns = int(float(sys.argv[1]) * 100)
(by_gevent if sys.argv[2:] else by_greenlet)(turns)
total = sum(spent.values())
print("%.3f %.4f %.4f" % (total, spent[30] / total, spent[70] / total))
