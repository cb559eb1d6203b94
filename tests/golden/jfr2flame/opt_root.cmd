f=data/jfr/spark-lock.jfr
jfr2flame -q --root ResultTask.runTask --depth 2 -o collapsed $f
echo
jfr2flame -q --root-innermost ResultTask.runTask --depth 2 -o collapsed $f
