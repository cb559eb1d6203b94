# Ten samples become one; what is left of a stack goes to the next.
f=data/jfr/spark-cpu-wall.jfr
jfr2flame -q --cpu --grain 10 -o collapsed $f | awk '{ n += $NF } END { print n }'
jfr2flame -q --cpu --grain 1 -o collapsed $f >one
jfr2flame -q --cpu -o collapsed $f | cmp - one
