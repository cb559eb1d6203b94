sum() { awk '{ n += $NF } END { printf "%d lines, %.0f\n", NR, n }'; }
# jfrconv could read neither.
gzip -c data/jfr/spark-lock.jfr | jfr2flame -q --collapsed /dev/stdin | sum
