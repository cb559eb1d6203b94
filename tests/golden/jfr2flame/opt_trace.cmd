sum() { awk '{ n += $NF } END { printf "%d lines, %.0f\n", NR, n }'; }
jfr2flame -q --trace -o collapsed --simple --root TaskRunner data/jfr/spark-trace.jfr
jfr2flame -q --trace --total -o collapsed data/jfr/spark-trace.jfr | sum
