# The number of threads does not change the output; a bad one is refused.
for j in '-j 1' '--jobs 2' '-j 7' '--jobs=1'
do
	jfr2flame -q --collapsed $j data/jfr/spark-cpu-wall.jfr | cksum
done | uniq -c | awk '{ print $1 }'
jfr2flame -j 0 data/jfr/spark-cpu-wall.jfr /dev/null
jfr2flame --jobs many data/jfr/spark-cpu-wall.jfr /dev/null
