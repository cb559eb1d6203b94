sum() { awk '{ n += $NF } END { printf "%d lines, %.0f\n", NR, n }'; }
# Members one after the other, packed or plain, are the sum.
f=data/jfr/spark-lock.jfr
jfr2flame -q --overlap keep --collapsed $f | sum
cat $f $f >twice.jfr
gzip <$f >one.gz; cat one.gz one.gz >twice.gz
jfr2flame -q --overlap keep --collapsed twice.jfr | sum
jfr2flame -q --overlap keep --collapsed twice.gz | sum
jfr2flame -q --overlap keep --collapsed one.gz twice.jfr | sum
