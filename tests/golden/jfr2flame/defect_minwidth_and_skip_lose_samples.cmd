sum() { awk '{ n += $NF } END { printf "%d lines, %.0f\n", NR, n }'; }
f=data/jfr/spark-cpu-wall.jfr
jfr2flame -q --cpu --collapsed $f | sum
jfr2flame -q --cpu --collapsed --minwidth 5 $f | awk '{ n += $NF } END { print n }'
jfr2flame -q --cpu --collapsed --skip 12 $f | awk '{ n += $NF } END { print n }'
