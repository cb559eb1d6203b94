sum() { awk '{ n += $NF } END { printf "%d lines, %.0f\n", NR, n }'; }
# What can be read is drawn, and the status shows it.
jfr2flame -q --collapsed nosuch.jfr data/jfr/spark-lock.jfr | sum
jfr2flame -q --collapsed nosuch.jfr data/jfr/spark-lock.jfr >out
