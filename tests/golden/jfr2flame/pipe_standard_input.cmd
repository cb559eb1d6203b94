sum() { awk '{ n += $NF } END { printf "%d lines, %.0f\n", NR, n }'; }
cat data/jfr/spark-lock.jfr | jfr2flame -q --collapsed | sum
jfr2flame -q --collapsed <data/jfr/spark-lock.jfr | sum
jfr2flame -q --collapsed /dev/stdin <data/jfr/spark-lock.jfr | sum
