sum() { awk '{ n += $NF } END { printf "%d lines, %.0f\n", NR, n }'; }
# From the end of the whole recording, not of every chunk: 11.66 s, of which
# the last 2 s begin at 9.66 s.
f=data/jfr/spark-multichunk.jfr
jfr2flame -q --cpu --from -2000 -o collapsed $f | sum
jfr2flame -q --cpu --from 9660 -o collapsed $f | sum
jfr2flame -q --cpu --to -2000 -o collapsed $f | sum
jfr2flame -q --cpu --to -9s -o collapsed $f | sum
jfr2flame -q --cpu --from -1000 -o collapsed data/jfr/jdk17-multichunk.jfr.gz | sum
# the same where the end is not known before it is there
jfr2flame -q --cpu --from -2000 -o collapsed <$f | sum
cat $f | jfr2flame -q --cpu --from -2000 -o collapsed | sum
gzip <$f | jfr2flame -q --cpu --from -2000 -o collapsed | sum
