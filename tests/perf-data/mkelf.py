#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A program of another machine, for make.py.  usage: mkelf.py MACHINE OUT

i686, armv7, arm64, ppc64, s390x or ppc: three functions of 16 bytes at 0x10,
0x20 and 0x30.  What each machine has of its own: armv7's are of Thumb, with odd
addresses, it and arm64 have symbols that are marks, ppc64's have descriptors.
"""
import struct
import sys

MACHINES = {            # bits, order, e_machine
    'i686': (32, '<', 3), 'armv7': (32, '<', 40), 'arm64': (64, '<', 183),
    'ppc64': (64, '>', 21), 's390x': (64, '>', 22), 'ppc': (32, '>', 20),
}
machine, out = sys.argv[1:]
bits, order, number = MACHINES[machine]
wide = bits == 64
W = 'Q' if wide else 'I'
FUNC, NOTYPE, GLOBAL = 2, 0, 1 << 4
OPD = 0x800


def pack(fields, *values):
    return struct.pack(order + fields, *values)


def symbol(name, value, size, info, section):
    if wide:
        return pack('IBBHQQ', name, info, 0, section, value, size)
    return pack('IIIBBH', name, value, size, info, 0, section)


def section(name, kind, flags, address, offset, size, link=0, each=0):
    return pack('II' + 4 * W + 'II' + 2 * W, name, kind, flags, address,
                offset, size, link, 0, 1, each)


names = ['one', 'two', '_Z5threei']
strings = b'\0' + b'\0'.join(n.encode() for n in names) + b'\0$t\0$x\0'
symbols = symbol(0, 0, 0, 0, 0)
descriptors = b''
for i, name in enumerate(names):
    value = 0x10 * (i + 1)
    if machine == 'ppc64':
        descriptors += pack('QQQ', value, 0, 0)
        value = OPD + 24 * i
    if machine == 'armv7':
        value |= 1
    symbols += symbol(strings.index(name.encode()), value, 16,
                      GLOBAL | FUNC, 2 if machine == 'ppc64' else 1)
if machine in ('armv7', 'arm64'):
    mark = b'$t' if machine == 'armv7' else b'$x'
    for at in (0x10, 0x20, 0x28):
        symbols += symbol(strings.index(mark), at, 0, NOTYPE, 1)
header_size = 64 if wide else 52
program_size = 56 if wide else 32
heads = b'\0.text\0.opd\0.symtab\0.strtab\0.shstrtab\0'
text = header_size + program_size
at = 0x1000
parts, places = [symbols, strings, heads], []
for part in parts:
    places.append(at)
    at += (len(part) + 7) // 8 * 8
name = {n: heads.index(n) for n in (b'.text', b'.opd', b'.symtab', b'.strtab',
                                    b'.shstrtab')}
sections = section(0, 0, 0, 0, 0, 0)
sections += section(name[b'.text'], 1, 6, 0x10, 0x10, 0x30)
sections += section(name[b'.opd'], 1, 3, OPD, OPD, len(descriptors))
sections += section(name[b'.symtab'], 2, 0, 0, places[0], len(symbols), 4,
                    24 if wide else 16)
sections += section(name[b'.strtab'], 3, 0, 0, places[1], len(strings))
sections += section(name[b'.shstrtab'], 3, 0, 0, places[2], len(heads))
head = b'\x7fELF' + bytes([2 if wide else 1, 1 if order == '<' else 2, 1]) + \
    bytes(9)
head += pack('HHI' + 3 * W + 'IHHHHHH', 3, number, 1, 0, 0x100, at, 0,
             header_size, program_size, 1, 64 if wide else 40, 6, 5)
if wide:
    load = pack('IIQQQQQQ', 1, 5, 0, 0, 0, 0x1000, 0x1000, 0x1000)
else:
    load = pack('IIIIIIII', 1, 0, 0, 0, 0x1000, 0x1000, 5, 0x1000)
# The code is where the header is: nobody runs it.
image = bytearray(head.ljust(0x100, b'\0') + load).ljust(0x1000, b'\0')
image[OPD:OPD + len(descriptors)] = descriptors
for part, place in zip(parts, places):
    image = image.ljust(place, b'\0') + part
image = image.ljust(at, b'\0') + sections
with open(out, 'wb') as f:
    f.write(image)
