flame-filter --label stgae=1 data/perf/layouts.txt
flame-filter --by stgae --depth 1 data/perf/layouts.txt
printf 'a 1\n' | flame-filter --label thread=x
flame-filter -q --by stgae data/perf/layouts.txt
echo "status $?"
flame-filter --by thread,stgae --depth 1 data/perf/layouts.txt
flame-filter --empty ok --by stgae --depth 1 data/perf/layouts.txt
printf 'a 1\n' | flame-filter --label thread
