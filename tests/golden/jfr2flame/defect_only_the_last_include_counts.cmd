sum() { awk '{ n += $NF } END { printf "%d lines, %.0f\n", NR, n }'; }
f=data/jfr/spark-lock.jfr
jfr2flame -q --collapsed -I ResultTask $f | sum
jfr2flame -q --collapsed -I ShuffleMapTask $f | sum
jfr2flame -q --collapsed -I ResultTask -I ShuffleMapTask $f | sum
jfr2flame -q --collapsed -I ShuffleMapTask -I ResultTask $f | sum
jfr2flame -q --collapsed -X ResultTask -X ShuffleMapTask $f | sum
