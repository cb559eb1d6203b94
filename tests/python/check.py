# SPDX-License-Identifier: Apache-2.0
"""Says as TAP what flame.py makes of small profiles."""

import gzip
import os
import tempfile

import flame

count = 0


def check(name, seen, wanted):
    global count
    count += 1
    good = seen == wanted
    print("%sok %d - %s" % ("" if good else "not ", count, name))
    if not good:
        print("#   %r, not %r" % (seen, wanted))


def error_of(function, *args, **more):
    try:
        function(*args, **more)
    except flame.Error as error:
        return str(error)
    return None


with tempfile.TemporaryDirectory(prefix="flame päge ") as folder:
    one, two = (os.path.join(folder, name) for name in ("one", "two.gz"))
    with open(one, "w", encoding="utf-8") as file:
        file.write("main;λ 3\nmain;b;c 4\n")
    with gzip.open(two, "wt", encoding="utf-8") as file:
        file.write("main;b;c 5\n")
    check("stacks are a dict", flame.fold(one), {"main;λ": 3, "main;b;c": 4})
    check("several are added up", flame.fold(one, two),
          {"main;λ": 3, "main;b;c": 9})
    check("filters are keywords", flame.fold(one, root="b"), {"b;c": 4})
    check("also flags", flame.fold(one, no_tiers=True, hide="b"),
          {"main;λ": 3, "main;c": 4})
    page = flame.page(one, title="A <title>", height=300)
    check("a page is one", page.html.startswith("<!DOCTYPE html>"), True)
    check("and has its title",
          "<title>A &lt;title></title>" in page.html or
          "<title>A &lt;title&gt;</title>" in page.html, True)
    shown = page._repr_html_()
    check("notebooks show it in a frame of its own",
          [shown.startswith("<iframe sandbox="), "height: 300px" in shown,
           "<!DOCTYPE" in shown], [True, True, False])
    saved = os.path.join(folder, "page.html")
    page.save(saved)
    check("a page is read again", flame.fold(saved), flame.fold(one))
    check("other formats are bytes",
          flame.write(one, format="svg").startswith(b"<?xml"), True)
    check("an error is told", "No such file" in
          error_of(flame.fold, os.path.join(folder, "no")), True)
    check("an unknown format, too", "nettle" in
          error_of(flame.write, one, format="nettle"), True)
    check("and a filter", "nettle" in error_of(flame.fold, one, nettle="x"),
          True)
    check("no input is one", error_of(flame.fold),
          "no input: name a profile")
print("1..%d" % count)
