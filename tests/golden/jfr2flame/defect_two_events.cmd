sum() { awk '{ n += $NF } END { printf "%d lines, %.0f\n", NR, n }'; }
# Two events are an error of one line, not a ClassCastException.
jfr2flame --alloc --cpu data/jfr/spark-multichunk.jfr out.html
echo $?
jfr2flame --lock --wall data/jfr/spark-multichunk.jfr out.html
echo $?
jfr2flame --alloc --event cpu data/jfr/spark-multichunk.jfr out.html
echo $?
ls
jfr2flame -q --cpu --event cpu --collapsed data/jfr/spark-multichunk.jfr | sum
exit 2
