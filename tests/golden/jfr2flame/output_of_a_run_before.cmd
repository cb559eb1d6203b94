# "out" is not an input because it exists now; what else is there may be one.
for format in collapsed html svg
do
	jfr2flame -q -o $format data/jfr/spark-lock.jfr out
	cp out was
	jfr2flame -q -o $format data/jfr/spark-lock.jfr out
	echo "exit $?"
	cmp out was && rm out
done 2>&1
printf 'a;b 1\n' >one
printf 'a;b 2\n' >other
jfr2flame -o collapsed one other
jfr2flame -q -o html --lock data/jfr/spark-lock.jfr one | tail -c 8

for name in gone.jfr gone.jfr.gz
do
	jfr2flame -q -o collapsed data/jfr/spark-lock.jfr $name 2>&1 >/dev/null
	[ ! -e $name ] || echo "$name is there"
done
