# SPDX-License-Identifier: Apache-2.0
"""What other programs make of our files, as folded text:
read.py otlp|duckdb|firefox FILE."""
import json
import sys


def clean(name):
    return ''.join(' ' if ord(c) < 32 or ord(c) == 127 else c
                   for c in name.replace(';', ':'))


def otlp(path):
    from opentelemetry.proto.profiles.v1development import profiles_pb2

    with open(path, 'rb') as file:
        data = profiles_pb2.ProfilesData.FromString(file.read())
    d = data.dictionary
    for table in (d.mapping_table, d.location_table, d.function_table,
                  d.link_table, d.attribute_table, d.stack_table):
        assert not table[0].ByteSize(), 'entry 0 has a value'
    assert d.string_table[0] == ''
    names = [d.string_table[d.function_table[line.function_index].name_strindex]
             for location in d.location_table
             for line in location.lines[:1] or [None] if line]
    names.insert(0, None)
    for resource in data.resource_profiles:
        for scope in resource.scope_profiles:
            for profile in scope.profiles:
                assert d.string_table[profile.sample_type.type_strindex]
                for sample in profile.samples:
                    for i in sample.attribute_indices:
                        key = d.attribute_table[i].key_strindex
                        assert d.string_table[key], 'an attribute has no key'
                    value, = sample.values
                    stack = d.stack_table[sample.stack_index]
                    yield ';'.join(clean(names[i]) for i in
                                   reversed(stack.location_indices)), value


def duckdb(path):
    import duckdb as db

    table = ("read_csv(?, delim='\t', header=true, quote='', escape='')"
             if path.endswith('.tsv') else 'read_json(?)')
    yield from db.execute(f'select stack, sum(value)::bigint from {table} '
                          'group by stack', [path]).fetchall()


# The columns of a processed profile, version 56.
TABLES = {
    'samples': 'stack time weight',
    'stackTable': 'frame prefix',
    'frameTable': 'address inlineDepth category subcategory func nativeSymbol '
                  'innerWindowID line column',
    'funcTable': 'isJS relevantForJS name resource fileName lineNumber '
                 'columnNumber',
    'resourceTable': 'lib name host type',
    'nativeSymbols': 'libIndex address name functionSize',
    'markers': 'data name startTime endTime phase category',
}
THREAD = ('processType processStartupTime processShutdownTime registerTime '
          'unregisterTime pausedRanges name isMainThread pid tid')


def indices(column, length, null=False):
    for i in column:
        assert (null and i is None) or 0 <= i < length, (i, length)


def check(thread, strings, categories):
    for key in THREAD.split():
        assert key in thread, key
    assert isinstance(thread['pid'], str)
    for name, columns in TABLES.items():
        for column in columns.split():
            assert len(thread[name][column]) == thread[name]['length'], column
    stacks, frames = thread['stackTable'], thread['frameTable']
    indices(thread['samples']['stack'], stacks['length'], True)
    indices(stacks['frame'], frames['length'])
    for i, prefix in enumerate(stacks['prefix']):
        assert prefix is None or 0 <= prefix < i
    indices(frames['func'], thread['funcTable']['length'])
    indices(frames['category'], len(categories))
    indices(thread['funcTable']['name'], len(strings))
    indices(thread['funcTable']['fileName'], len(strings), True)
    times = thread['samples']['time']
    assert times == sorted(times)


def firefox(path):
    from decimal import Decimal

    with open(path) as file:
        profile = json.load(file, parse_float=Decimal)
    meta = profile['meta']
    assert meta['preprocessedProfileVersion'] == 56
    for key in 'interval startTime processType stackwalk product'.split():
        assert key in meta, key
    assert any(c['color'] == 'grey' for c in meta['categories'])
    strings = profile['shared']['stringArray']
    for thread in profile['threads']:
        check(thread, strings, meta['categories'])
        samples = thread['samples']
        unit = 1000000 if samples['weightType'] == 'tracing-ms' else 1
        paths = []
        for frame, prefix in zip(thread['stackTable']['frame'],
                                 thread['stackTable']['prefix']):
            func = thread['frameTable']['func'][frame]
            name = clean(strings[thread['funcTable']['name'][func]])
            paths.append(name if prefix is None else
                         paths[prefix] + ';' + name)
        for stack, weight in zip(samples['stack'], samples['weight']):
            if stack is not None:
                yield paths[stack], int(weight * unit)


sys.stdout.reconfigure(encoding='utf-8', errors='surrogateescape')
for stack, weight in globals()[sys.argv[1]](sys.argv[2]):
    if weight:
        print(stack, weight)
