f=data/jfr/spark-lock.jfr
jfr2flame -q --simple --cut Task.run -o collapsed $f
echo
jfr2flame -q --simple --hide 'concurrent|Thread|Executor' --depth 2 -o collapsed $f
