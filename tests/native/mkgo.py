#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A program of Go without symbols.  usage: mkgo.py RELEASE OUT

RELEASE is the first one with a form of .gopclntab: 1.2, 1.16, 1.18, 1.20, or
1.26, where the place of the code is left out; with -32 or -big a program of 32
bits or of the other byte order, with -cgo one that a C linker made: other code
stands before Go's.  main.one, main.two and _rt0_go have 16 bytes from 0x400110
on; the program begins in the last one, with -cgo in the code before.
"""
import struct
import sys

release, _, kind = sys.argv[1].partition('-')
wide, order = kind != '32', '>' if kind == 'big' else '<'
W, word = ('Q', 8) if wide else ('I', 4)
BASE, TEXT, CODE, TABLE, MODULE = 0x400000, 0x110, 0x100, 0x200, 0x800
MAGIC = {'1.2': 0xfffffffb, '1.16': 0xfffffffa, '1.18': 0xfffffff0,
         '1.20': 0xfffffff1, '1.26': 0xfffffff1}
NAMES = ['main.one', 'main.two', '_rt0_go']
relative = release in ('1.18', '1.20', '1.26')


def pack(fields, *values):
    return struct.pack(order + fields, *values)


def section(name, kind, flags, at, size, link=0):
    return pack('II' + 4 * W + 'II' + 2 * W, heads.index(name), kind, flags,
                BASE + at if flags else 0, at, size, link, 0, 1, 0)


names = b'\0' + b'\0'.join(n.encode() for n in NAMES) + b'\0'
place = [names.index(n.encode()) for n in NAMES]
number = 'I' if relative else W
starts = [(0 if relative else BASE + TEXT) + 16 * i for i in range(4)]
each = (4 if relative else word) + 4
listed = (2 * 3 + 1) * struct.calcsize(number)
head = pack('IBBBB', MAGIC[release], 0, 0, 1, word)
if release == '1.2':
    first = 8 + word            # of the list; functions and names follow
    funcs, strings = first + listed, first + listed + 3 * each
    place = [strings + p for p in place]
    head += pack(W, 3)
    at = funcs
else:
    words = 8 if relative else 7
    strings = 8 + words * word
    first = strings + len(names)
    head += pack(2 * W, 3, 0)
    if relative:
        head += pack(W, 0 if release == '1.26' else BASE + TEXT)
    head += pack(5 * W, strings, first, first, first, first)
    at = listed                 # from the list on
table = b''
for i in range(3):
    table += pack(2 * number, starts[i], at + i * each)
table += pack(number, starts[3])
for i in range(3):
    table += pack(('I' if relative else W) + 'I', starts[i], place[i])
table = head + table + names if release == '1.2' else head + names + table

module = pack(W, BASE + TABLE) + bytes(19 * word) + \
    pack(3 * W, BASE + TEXT, BASE + TEXT + 48, BASE + TEXT)
module += bytes(24 * word - len(module))
heads = b'\0.text\0.gopclntab\0.go.module\0.shstrtab\0'
sections = section(b'\0', 0, 0, 0, 0)
text = CODE if kind == 'cgo' else TEXT
sections += section(b'.text', 1, 6, text, TEXT + 48 - text)
sections += section(b'.gopclntab', 1, 2, TABLE, len(table))
sections += section(b'.go.module' if kind == 'cgo' else b'module', 1, 3, MODULE,
                    len(module))
sections += section(b'.shstrtab', 3, 0, 0xa00, len(heads))
header, program = (64, 56) if wide else (52, 32)
image = b'\x7fELF' + bytes([2 if wide else 1, 1 if order == '<' else 2, 1])
image += bytes(9)
image += pack('HHI' + 3 * W + 'IHHHHHH', 2, 62 if wide else 3, 1,
              BASE + (CODE if kind == 'cgo' else TEXT + 32), header, 0xb00, 0,
              header, program, 1, 64 if wide else 40, 5, 4)
if wide:
    image += pack('IIQQQQQQ', 1, 5, 0, BASE, BASE, 0x1000, 0x1000, 0x1000)
else:
    image += pack('IIIIIIII', 1, 0, BASE, BASE, 0x1000, 0x1000, 5, 0x1000)
for at, part in ((TABLE, table), (MODULE, module), (0xa00, heads),
                 (0xb00, sections), (0x1000, b'')):
    image = image.ljust(at, b'\0') + part
with open(sys.argv[2], 'wb') as f:
    f.write(image)
