# SPDX-License-Identifier: Apache-2.0
"""Writes the inputs of tests/laws/hostile into the current folder, and what
some of them are as folded text (FILE.want)."""


def write(name, text, want=None):
    with open(name, 'wb') as file:
        file.write(text if isinstance(text, bytes) else text.encode())
    if want is not None:
        with open(name + '.want', 'w') as file:
            file.write(want)


# Documents of each format, with @ where something hostile goes.
NAMES = {
    'speedscope': '{"shared":{"frames":[{"name":@}]},"profiles":[{"type":'
                  '"sampled","name":"x","unit":"none","samples":[[0]],'
                  '"weights":[1]}]}',
    'trace': '[{"ph":"X","name":@,"pid":1,"tid":1,"ts":1,"dur":5}]',
    'd3': '{"name":"root","value":2,"children":[{"name":@,"value":1,'
          '"children":[]}]}',
    'cpuprofile': '{"nodes":[{"id":1,"callFrame":{"functionName":@,"url":"",'
                  '"lineNumber":1}}],"startTime":0,"endTime":9,'
                  '"samples":[1],"timeDeltas":[5]}',
    'threads': '[{"threadId":1,"threadName":@,"stackTrace":{"elems":'
               '["a.B.c(D.java:3)"]}}]',
    'statsd': '{"results":[{"series":[{"name":"cpu.trace.a-B-m-3","tags":'
              '{"host":@},"columns":["time","value"],"values":[[1,2]]}]}]}',
    'flamebearer': '{"flamebearer":{"names":["total",@],"levels":'
                   '[[0,5,0,0],[0,5,5,1]],"numTicks":5},"version":1,'
                   '"metadata":{"format":"single","units":"samples"}}',
}
NUMBERS = {
    'speedscope': '{"shared":{"frames":[{"name":"a"}]},"profiles":[{"type":'
                  '"sampled","name":"x","unit":"none","samples":[[@]],'
                  '"weights":[@]}]}',
    'events': '{"shared":{"frames":[{"name":"a"}]},"profiles":[{"type":'
              '"evented","name":"x","unit":"none","events":[{"type":"O",'
              '"frame":0,"at":1},{"type":"C","frame":@,"at":@}]}]}',
    'trace': '[{"ph":"X","name":"a","pid":@,"tid":1,"ts":@,"dur":@}]',
    'd3': '{"name":"root","value":@,"children":[{"name":"a","value":@,'
          '"children":[]}]}',
    'cpuprofile': '{"nodes":[{"id":@,"callFrame":{"functionName":"a","url":'
                  '"","lineNumber":@}}],"startTime":0,"endTime":9,'
                  '"samples":[@],"timeDeltas":[@]}',
    'statsd': '{"results":[{"series":[{"name":"cpu.trace.a-B-m-3","columns":'
              '["time","value"],"values":[[@,@]]}]}]}',
    'flamebearer': '{"flamebearer":{"names":["total","a"],"levels":'
                   '[[0,5,0,0],[@,@,@,@]],"numTicks":@},"version":1,'
                   '"metadata":{"format":"single","units":"samples"}}',
    'firefox': '{"meta":{"version":24,"preprocessedProfileVersion":48},'
               '"threads":[{"name":"a","samples":{"stack":[@],"time":[@],'
               '"length":1},"stackTable":{"frame":[@],"prefix":[@]},'
               '"frameTable":{"func":[@]},"funcTable":{"name":[@]},'
               '"stringArray":["a"]}]}',
}


def documents():
    deep = '[' * 1000000
    for kind, text in NAMES.items():
        write(f'{kind}-deep.json', text.replace('@', deep))
        write(f'{kind}-deep-object.json', text.replace('@', '{"a":' * 200000))
        write(f'{kind}-surrogate.json', text.replace('@', r'"x\ud800y\udc00"'))
        write(f'{kind}-nul.json', text.replace('@', r'"x\u0000y\n;z"'))
        write(f'{kind}-no-text.json', text.replace('@', 'null'))
        twice = text.replace('@', '"x"')
        for key in 'name', 'samples', 'values', 'nodes', 'threadName':
            twice = twice.replace(f'"{key}":', f'"{key}":7,"{key}":', 1)
        write(f'{kind}-twice.json', twice)
    for kind, text in NUMBERS.items():
        for name, number in (('1e400', '1e400'), ('below', '-1'),
                             ('max', '9223372036854775807'),
                             ('32-bits', '4294967296'),
                             ('digits', '9' * 1000), ('nan', 'NaN')):
            write(f'{kind}-{name}.json', text.replace('@', number))
    write('twice.json', '{"shared":{"frames":[{"name":"a","name":"b"}]},'
          '"profiles":[{"type":"sampled","name":"x","unit":"none","samples":'
          '[[0]],"weights":[3]}]}', 'b 3\n')


def varint(n):
    out = b''
    n &= (1 << 64) - 1
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def pprof(string=2, function=1, location=1, unit=1):
    return b''.join((
        field(1, field(1, 1) + field(2, unit)),
        field(2, field(1, varint(location)) + field(2, varint(5))),
        field(4, field(1, 1) + field(4, field(1, function) + field(2, 3))),
        field(5, field(1, 1) + field(2, string)),
        field(6, b''), field(6, b'cpu'), field(6, b'main')))


def messages():
    largest = (1 << 64) - 1
    whole = pprof()
    write('whole.pb', whole, 'main 5\n')
    for at in 'string', 'function', 'location', 'unit':
        for name, n in ('after-end', 9), ('largest', largest), ('zero', 0):
            write(f'{at}-{name}.pb', pprof(**{at: n}))
    for n in range(1, len(whole)):
        if n % 5 == 0:
            write(f'cut-{n}.pb', whole[:n])
    write('long-field.pb', whole + varint(6 << 3 | 2) + varint(largest))
    write('groups.pb', whole + b'\x3b' * 1000000)
    write('many-values.pb', field(2, field(2, b'\1' * 100000)) + whole)
    dictionary = b''.join((
        field(2, b'') + field(2, field(1, 0) + field(3, field(1, 9))),
        field(3, b'') + field(3, field(1, 77)),
        field(5, b''), field(5, b'x'), field(7, b''),
        field(7, field(1, varint(99)))))
    profile = field(1, field(1, 5) + field(2, 6)) + field(
        2, field(1, 9) + field(2, varint(3)) + field(3, varint(4)))
    write('out-of-range.otlp', field(2, dictionary) +
          field(1, field(2, field(2, profile))))


documents()
messages()
