# SPDX-License-Identifier: Apache-2.0
"""Counts words of a made-up text, as CSV and JSON; a program to record."""
import csv, io, json, random, re, sys, threading
from collections import Counter

def make(n):
    random.seed(1)
    return " ".join(random.choice("abcdefgh") * random.randint(1, 9)
                    for _ in range(n))

def tokens(text):
    return [m.group(0).lower() for m in re.finditer(r"[a-z]+", text)]

def as_csv(counts):
    out = io.StringIO()
    writer = csv.writer(out)
    for word, n in counts.items():
        writer.writerow((word, n))
    return out.getvalue()

def as_json(counts):
    return json.dumps([{"word": w, "n": n} for w, n in counts.items()])

def job(text):
    counts = Counter(tokens(text))
    for _ in range(300):
        as_csv(counts)
        as_json(counts)

def main(rounds):
    for _ in range(rounds):
        job(make(20000))

if __name__ == "__main__":
    t = threading.Thread(target=main, args=(int(sys.argv[1]),), name="words")
    t.start()
    t.join()
