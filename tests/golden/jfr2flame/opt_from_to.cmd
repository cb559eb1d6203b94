sum() { awk '{ n += $NF } END { printf "%d lines, %.0f\n", NR, n }'; }
f=data/jfr/spark-multichunk.jfr
jfr2flame -q --cpu --from 2s --to 5s -o collapsed $f | sum
jfr2flame -q --cpu --from 2000 --to 5000 -o collapsed $f | sum
jfr2flame -q --cpu --from 04:22:55 --to 04:22:57 -o collapsed $f | sum
jfr2flame -q --cpu --from 2026-11-21T04:22:55 --to 2026-11-21T05:22:57+01:00 -o collapsed $f | sum
jfr2flame -q --cpu --from 1795234975000 --to=1795234977000 -o collapsed $f | sum
jfr2flame -q --cpu --to 0 --from 0 -o collapsed $f | sum
