sum() { awk '{ n += $NF } END { printf "%d lines, %.0f\n", NR, n }'; }
# As scripts of jfrconv's have it; a pipe, and a file that is appended to.
jfr2flame -q --collapsed data/jfr/spark-lock.jfr /dev/stdout | sum
echo 'before 1' >out
jfr2flame -q --collapsed data/jfr/spark-lock.jfr /dev/stdout >>out && sum <out
jfr2flame -q data/jfr/spark-lock.jfr /dev/null
