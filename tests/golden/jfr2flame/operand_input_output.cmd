sum() { awk '{ n += $NF } END { printf "%d lines, %.0f\n", NR, n }'; }
jfr2flame -q data/jfr/spark-lock.jfr out.html && head -n 1 out.html
jfr2flame -q data/jfr/spark-lock.jfr out.svg && head -c 5 out.svg && echo
jfr2flame -q data/jfr/spark-lock.jfr out.collapsed && sum <out.collapsed
jfr2flame -q data/jfr/spark-lock.jfr out.folded && sum <out.folded
jfr2flame -q data/jfr/spark-lock.jfr out.txt && sum <out.txt
ls
