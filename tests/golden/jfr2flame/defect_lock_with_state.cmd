sum() { awk '{ n += $NF } END { printf "%d lines, %.0f\n", NR, n }'; }
# A state of what has none chooses nothing, and says no ClassCastException.
jfr2flame -q --empty ok --lock --state r -o collapsed data/jfr/spark-lock.jfr 2>&1 | sum
