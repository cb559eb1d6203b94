sum() { awk '{ n += $NF } END { printf "%d lines, %.0f\n", NR, n }'; }
jfr2flame -q --wall --state runnable -o collapsed data/jfr/spark-cpu-wall.jfr | sum
jfr2flame -q --wall -s sleeping -o collapsed data/jfr/spark-cpu-wall.jfr | sum
jfr2flame -q --wall -s R,S -o collapsed data/jfr/spark-cpu-wall.jfr | sum
jfr2flame -q --wall -s nosuch -o collapsed data/jfr/spark-cpu-wall.jfr | sum
