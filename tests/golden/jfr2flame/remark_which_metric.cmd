sum() { awk '{ n += $NF } END { printf "%d lines, %.0f\n", NR, n }'; }
# Which was chosen, and which others there are.
jfr2flame -o collapsed data/jfr/spark-multichunk.jfr | sum
jfr2flame -o collapsed data/jfr/spark-lock.jfr | sum
