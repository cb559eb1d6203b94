sum() { awk '{ n += $NF } END { printf "%d lines, %.0f\n", NR, n }'; }
jfr2flame -q --lock --root TaskRunner -o collapsed data/jfr/spark-lock.jfr
jfr2flame -q --lock --total -o collapsed data/jfr/spark-lock.jfr | sum
