for f in spark-cpu-wall spark-alloc-live spark-lock spark-nativemem spark-trace
do
	jfr2flame -q --event list data/jfr/$f.jfr | awk 'NR > 1 { print $1, $4 }'
done
