f=data/jfr/spark-lock.jfr
jfr2flame -q --simple --skip 4 --depth 2 -o collapsed $f
echo
jfr2flame -q --simple --skip=6 --depth=2 -o collapsed $f
echo 'a;b;c 1' | jfr2flame --skip 7 -o collapsed
