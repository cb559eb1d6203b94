# SPDX-License-Identifier: Apache-2.0
"""A small reader of JFR chunks, independent of the library.

It knows where every event and every constant lies, so that a test can say
which samples of a recording can still be named when its end is missing.
Formats 1.x and 2.x with compressed integers.
"""
import struct

HEADER = 68


class Cursor:
    """A place in bytes, and the values that are read from there."""

    def __init__(self, data, at):
        self.data, self.at = data, at

    def number(self):
        value = 0
        for i in range(9):
            byte = self.data[self.at]
            self.at += 1
            if i == 8:
                return value | byte << 56
            value |= (byte & 0x7f) << 7 * i
            if byte < 0x80:
                break
        return value

    def bytes(self, size):
        self.at += size
        return self.data[self.at - size:self.at]

    def string(self):
        """Text, or ('string', key) of a constant."""
        kind = self.bytes(1)[0]
        if kind == 2:
            return ('string', self.number())
        if kind < 2:
            return ''
        size = self.number()
        if kind == 4:
            return ''.join(chr(self.number() & 0xffff) for _ in range(size))
        return self.bytes(size).decode('utf-8' if kind == 3 else 'latin-1',
                                       'replace')


RAW = {'boolean': 1, 'byte': 1, 'float': 4, 'double': 8}


class Chunk:
    """The first chunk of a recording."""

    def __init__(self, data):
        (self.size, self.pools, self.metadata) = struct.unpack(
            '>QQQ', data[8:32])
        self.data = data[:self.size]
        self.size = len(self.data)
        self.read_events()
        self.read_metadata()
        self.read_checkpoints()
        self.read_samples()

    def read_metadata(self):
        c = Cursor(self.data, self.metadata or self.events[0][0])
        for _ in range(5):
            c.number()
        strings = [c.string() for _ in range(c.number())]

        def element():
            name = strings[c.number()]
            pairs = [(strings[c.number()], strings[c.number()])
                     for _ in range(c.number())]
            return name, dict(pairs), [element() for _ in range(c.number())]

        self.classes = {}
        for part in element()[2]:
            for kind, attributes, children in part[2]:
                if kind == 'class':
                    fields = [f[1] for f in children if f[0] == 'field']
                    self.classes[int(attributes['id'])] = (
                        attributes['name'], fields)

    def read_events(self):
        """(begin, end, type) of each; also those of types 0 and 1."""
        self.events = []
        at = HEADER
        while at < self.size:
            c = Cursor(self.data, at)
            size, kind = c.number(), c.number()
            if not size or at + size > self.size:
                break
            self.events.append((at, at + size, kind))
            at += size

    def value(self, c, kind):
        """A value of a class, as {field: value}; constants are keys."""
        name, fields = self.classes[kind]
        if name == 'java.lang.String':
            return c.string()
        if name in RAW:
            return c.bytes(RAW[name])
        if not fields and name in ('char', 'short', 'int', 'long'):
            return c.number()
        found = {}
        for f in fields:
            n = c.number() if f.get('dimension', '0') != '0' else 1
            values = [c.number() if f.get('constantPool') == 'true' else
                      self.value(c, int(f['class'])) for _ in range(n)]
            found[f['name']] = values if 'dimension' in f else values[0]
        return found

    def read_checkpoints(self):
        """constants[class name][key]: its value, and every end of it."""
        self.constants = {}
        for begin, _, kind in self.events:
            if kind != 1:
                continue
            c = Cursor(self.data, begin)
            for _ in range(5):
                c.number()
            c.bytes(1)
            for _ in range(c.number()):
                kind = c.number()
                name = self.classes[kind][0]
                pool = self.constants.setdefault(name, {})
                for _ in range(c.number()):
                    key = c.number()
                    value = self.value(c, kind)
                    pool.setdefault(key, []).append((c.at, value))

    def constant(self, name, key, cut):
        """A constant that lies before the cut, or None."""
        pool = self.constants.get(name, {})
        for end, value in pool.get(key, ()):
            if end <= cut:
                return value
        return None

    def has_symbol(self, key, cut):
        return not key or \
            self.constant('jdk.types.Symbol', key, cut) is not None

    def has_class(self, key, cut):
        found = self.constant('java.lang.Class', key, cut)
        return not key or (found is not None and
                           self.has_symbol(found['name'], cut))

    def is_native(self, key):
        """Whether frames of a type are named by their symbol alone."""
        pool = self.constants.get('jdk.types.FrameType', {})
        texts = {k: values[0][1].get('description') or
                 values[0][1].get('string') for k, values in pool.items()}
        return 'Kernel' in texts.values() and \
            texts.get(key) in ('Native', 'C++', 'Kernel')

    def has_method(self, frame, cut):
        found = self.constant('jdk.types.Method', frame['method'], cut)
        return found is not None and self.has_symbol(found['name'], cut) \
            and (self.is_native(frame['type']) or
                 self.has_class(found['type'], cut))

    def has_stack(self, key, cut, memo):
        if key not in memo:
            found = self.constant('jdk.types.StackTrace', key, cut)
            memo[key] = found is not None and all(
                self.has_method(f, cut) for f in found['frames'])
        return memo[key]

    def parts(self, at):
        """Where the type of an event begins, and where its fields do."""
        c = Cursor(self.data, at)
        c.number()
        kind = c.at
        c.number()
        return kind, c.at

    def read_samples(self):
        """(end, event, key of the stack) of events with a stack."""
        self.samples = []
        for begin, end, kind in self.events:
            name, fields = self.classes.get(kind, ('', []))
            if not any(f['name'] == 'stackTrace' for f in fields):
                continue
            c = Cursor(self.data, self.parts(begin)[1])
            key = self.value(c, kind)['stackTrace']
            if key:
                self.samples.append((end, name, key))

    def count_named(self, event, cut):
        """Events of a name that are whole before a cut, with their names."""
        memo = {}
        return sum(name == event and end <= cut and
                   self.has_stack(key, cut, memo)
                   for end, name, key in self.samples)
