sum() { awk '{ n += $NF } END { printf "%d lines, %.0f\n", NR, n }'; }
jfr2flame -q --nativemem --leak --total -o collapsed data/jfr/spark-nativemem.jfr | sum
jfr2flame -q --nativemem --leak --tail 0 --total -o collapsed data/jfr/spark-nativemem.jfr | sum
jfr2flame -q --nativemem --leak --tail=100% --total -o collapsed data/jfr/spark-nativemem.jfr | sum
jfr2flame -q --nativemem --leak --tail 0.5 -o collapsed data/jfr/spark-nativemem.jfr >half
jfr2flame -q --nativemem --leak --tail 50% -o collapsed data/jfr/spark-nativemem.jfr | cmp - half
