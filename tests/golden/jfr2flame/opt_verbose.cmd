sum() { awk '{ n += $NF } END { printf "%d lines, %.0f\n", NR, n }'; }
jfr2flame -v --cpu -o collapsed data/jfr/spark-trace.jfr 2>/dev/null | sum
jfr2flame --verbose --cpu -o collapsed data/jfr/spark-trace.jfr 2>/dev/null | sum
