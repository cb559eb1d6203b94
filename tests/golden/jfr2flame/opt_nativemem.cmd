sum() { awk '{ n += $NF } END { printf "%d lines, %.0f\n", NR, n }'; }
# Frees have no stack, and are not allocations.
jfr2flame -q --nativemem -o collapsed data/jfr/spark-nativemem.jfr | sum
jfr2flame -q --nativemem --total -o collapsed data/jfr/spark-nativemem.jfr | sum
