sum() { awk '{ n += $NF } END { printf "%d lines, %.0f\n", NR, n }'; }
# Spans are found after a chunk that is not finished, too.
d=data/jfr
jfr2flame -q --cpu --latency 5 -o collapsed $d/spark-trace.jfr | sum
cat $d/spark-killed.jfr $d/spark-trace.jfr | jfr2flame -q --cpu --latency 5 -o collapsed | sum
cat $d/spark-trace.jfr $d/spark-killed.jfr | jfr2flame -q --cpu --latency 5 -o collapsed | sum
