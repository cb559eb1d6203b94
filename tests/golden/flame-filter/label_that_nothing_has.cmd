flame-filter --label stgae=1 data/perf/layouts.txt
flame-filter --by stgae --depth 1 data/perf/layouts.txt
printf 'a 1\n' | flame-filter --label thread=x
printf 'a 1\n' | flame-filter --label thread
