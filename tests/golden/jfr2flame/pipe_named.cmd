sum() { awk '{ n += $NF } END { printf "%d lines, %.0f\n", NR, n }'; }
mkfifo in.fifo out.collapsed
cat data/jfr/spark-lock.jfr >in.fifo &
jfr2flame -q --collapsed in.fifo | sum
cat data/jfr/spark-lock.jfr >in.fifo &
sum <out.collapsed >found &
jfr2flame -q in.fifo out.collapsed
wait
cat found
