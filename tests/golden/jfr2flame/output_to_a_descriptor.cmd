# As the shell names it in >(command).
jfr2flame -q -o collapsed data/jfr/spark-lock.jfr /dev/fd/9 9>written
jfr2flame -q -o collapsed data/jfr/spark-lock.jfr >expected
cmp written expected
if [ -w /dev/full ]
then
	jfr2flame -q data/jfr/spark-lock.jfr /dev/full 2>&1
else
	echo 'jfr2flame: /dev/full: No space left on device'
fi
jfr2flame -q -o collapsed data/jfr/spark-lock.jfr /dev/fd/9 9<data/jfr/spark-lock.jfr >twice
[ "$(wc -l <twice)" = "$(wc -l <expected)" ] && echo two inputs
