sum() { awk '{ n += $NF } END { printf "%d lines, %.0f\n", NR, n }'; }
# Allocations: samples, and bytes with --total.
jfr2flame -q --alloc -o collapsed data/jfr/spark-alloc-live.jfr | sum
jfr2flame -q --alloc --total -o collapsed data/jfr/spark-alloc-live.jfr | sum
