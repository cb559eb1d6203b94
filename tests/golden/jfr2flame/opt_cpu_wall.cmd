sum() { awk '{ n += $NF } END { printf "%d lines, %.0f\n", NR, n }'; }
# 602 events, and 4652 that stand for 18646 samples: never one sum.
jfr2flame -q --cpu -o collapsed data/jfr/spark-cpu-wall.jfr | sum
jfr2flame -q --wall -o collapsed data/jfr/spark-cpu-wall.jfr | sum
jfr2flame -q -o collapsed data/jfr/spark-cpu-wall.jfr | sum
jfr2flame -q --compat jfrconv -o collapsed data/jfr/spark-cpu-wall.jfr | sum
