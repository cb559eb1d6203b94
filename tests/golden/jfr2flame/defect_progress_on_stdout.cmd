# Nothing but the result: what is written to a file is all of it.
f=data/jfr/spark-inflight.jfr
for format in html svg collapsed
do
	jfr2flame -o $format $f 2>/dev/null >out
	jfr2flame -o $format $f to.html 2>/dev/null
	cmp out to.html
done
jfr2flame $f to.html 2>/dev/null
