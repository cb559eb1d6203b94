sum() { awk '{ n += $NF } END { printf "%d lines, %.0f\n", NR, n }'; }
jfr2flame -q -o collapsed data/jfr/spark-lock.jfr - | sum
jfr2flame -q -o - --collapsed data/jfr/spark-lock.jfr | sum
jfr2flame -q -o - --collapsed <data/jfr/spark-lock.jfr | sum
