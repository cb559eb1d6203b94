sum() { awk '{ n += $NF } END { printf "%d lines, %.0f\n", NR, n }'; }
jfr2flame -o collapsed data/jfr/spark-nativemem.jfr | sum
