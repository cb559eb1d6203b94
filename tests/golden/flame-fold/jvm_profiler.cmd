flame-fold $DATA/jvm-profiler/stacktrace.json 2>&1
flame-fold -q --by app,host,role,tag $DATA/jvm-profiler/stacktrace.json
flame-fold -q --state runnable --threads $DATA/jvm-profiler/stacktrace.json
flame-fold -q --from '2026-02-12 10:00:30Z' $DATA/jvm-profiler/stacktrace.json
flame-fold $DATA/jvm-profiler/console.txt 2>&1
flame-fold $DATA/jvm-profiler/cut.json 2>&1
grep stacktrace $DATA/jvm-profiler/stacktrace.json |
	sed 's/.*"count":\([0-9]*\).*/\1/' | awk '{ n += $1 } END { print n, "in the file" }'
flame-fold -q $DATA/jvm-profiler/stacktrace.json |
	awk '{ n += $NF } END { print n, "read" }'
