flame-fold $DATA/perf-trace/sleep.txt
flame-fold --by thread $DATA/perf-trace/odd.txt 2>&1
flame-fold --total $DATA/perf-trace/odd.txt 2>/dev/null
# Calls followed by frames, and those that were read.
awk '/^                    / { n += !p; p = 1; next } { p = 0 } END { print n }' $DATA/perf-trace/sleep.txt
flame-fold $DATA/perf-trace/sleep.txt | awk '{ n += $NF } END { print n }'
head -c 1700 $DATA/perf-trace/sleep.txt | flame-fold 2>&1 >/dev/null
