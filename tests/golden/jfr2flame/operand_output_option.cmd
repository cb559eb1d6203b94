sum() { awk '{ n += $NF } END { printf "%d lines, %.0f\n", NR, n }'; }
# A format, or a file; both; and the operands are inputs then.
f=data/jfr/spark-lock.jfr
jfr2flame -q -o collapsed $f | sum
jfr2flame -q --output collapsed $f | sum
jfr2flame -q --output=folded $f | sum
jfr2flame -q -o out.collapsed $f && sum <out.collapsed
jfr2flame -q -o svg $f | head -c 5; echo
jfr2flame -q -o html $f out.xyz.html && head -n 1 out.xyz.html
jfr2flame -q -o collapsed $f out.html && sum <out.html
jfr2flame -q --collapsed $f out.html && sum <out.html
