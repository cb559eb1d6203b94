sum() { awk '{ n += $NF } END { printf "%d lines, %.0f\n", NR, n }'; }
# The format was cut at the last dot of the whole path.
mkdir w.d
jfr2flame -q data/jfr/spark-lock.jfr w.d/out.collapsed
jfr2flame -q data/jfr/spark-lock.jfr w.d
sum <w.d/out.collapsed
ls w.d
