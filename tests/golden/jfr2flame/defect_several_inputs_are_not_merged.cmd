sum() { awk '{ n += $NF } END { printf "%d lines, %.0f\n", NR, n }'; }
jfr2flame -q --overlap keep --collapsed data/jfr/spark-lock.jfr data/jfr/spark-lock.jfr | sum
