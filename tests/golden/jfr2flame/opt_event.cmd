sum() { awk '{ n += $NF } END { printf "%d lines, %.0f\n", NR, n }'; }
jfr2flame -q --event alloc -o collapsed data/jfr/spark-multichunk.jfr | sum
jfr2flame -q --event=wall -o collapsed data/jfr/spark-multichunk.jfr | sum
jfr2flame -q --event jdk.ThreadStart --depth 1 -o collapsed data/jfr/jdk17-profile.jfr.gz
