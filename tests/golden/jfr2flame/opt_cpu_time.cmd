sum() { awk '{ n += $NF } END { printf "%d lines, %.0f\n", NR, n }'; }
jfr2flame -q --cpu-time -o collapsed data/jfr/jdk25-cputime.jfr | sum
jfr2flame -q --cpu-time --total -o collapsed data/jfr/jdk25-cputime.jfr | sum
jfr2flame -q --cpu -o collapsed data/jfr/jdk25-cputime.jfr | sum
