sum() { awk '{ n += $NF } END { printf "%d lines, %.0f\n", NR, n }'; }
jfr2flame -q --live -o collapsed data/jfr/spark-alloc-live.jfr | sum
jfr2flame -q --live --total -o collapsed data/jfr/spark-alloc-live.jfr | sum
