sum() { awk '{ n += $NF } END { printf "%d lines, %.0f\n", NR, n }'; }
# Remarks and warnings are left out, errors are not.
jfr2flame -q -o collapsed data/jfr/spark-inflight.jfr | sum
jfr2flame --quiet -o collapsed data/jfr/spark-inflight.jfr | sum
jfr2flame -q nosuch.jfr
true
