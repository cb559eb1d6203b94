sum() { awk '{ n += $NF } END { printf "%d lines, %.0f\n", NR, n }'; }
# Members one after the other, packed or plain, are the sum.
f=data/jfr/spark-lock.jfr
jfr2flame -q --collapsed $f | sum
cat $f $f >twice.jfr
gzip <$f >one.gz; cat one.gz one.gz >twice.gz
jfr2flame -q --collapsed twice.jfr | sum
jfr2flame -q --collapsed twice.gz | sum
jfr2flame -q --collapsed one.gz twice.jfr | sum
