sum() { awk '{ n += $NF } END { printf "%d lines, %.0f\n", NR, n }'; }
# A gzip after a plain recording is read on; this one is cut: what comes before
# it is read, and the rest is reported.
f=data/jfr/spark-lock.jfr
gzip -nc $f | head -c 1000 >tail
cat $f tail >in.jfr
jfr2flame --lock --collapsed in.jfr | sum
jfr2flame -q --lock --collapsed --partial fail in.jfr >out
