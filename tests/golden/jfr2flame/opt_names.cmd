f=data/jfr/spark-lock.jfr
jfr2flame -q --root ResultTask --depth 3 -o collapsed $f
jfr2flame -q --root ResultTask --depth 3 --dot -o collapsed $f
jfr2flame -q --root ResultTask --depth 3 --simple -o collapsed $f
jfr2flame -q --root ResultTask --depth 3 --no-tiers -o collapsed $f
