# What no input can be asked for is said once, not of each of them.
mkdir out
for j in 1 2
do
	jfr2flame --latency 20% -j $j data/jfr/spark-lock.jfr \
		data/jfr/spark-trace.jfr out
	echo $?
	jfr2flame --latency 20% -j $j data/jfr/spark-lock.jfr \
		data/jfr/spark-trace.jfr data/jfr/spark-cpu-wall.jfr x.html
	echo $?
	jfr2flame --latency 20% -j $j --info data/jfr/spark-lock.jfr \
		data/jfr/spark-trace.jfr
	echo $?
done 2>&1
ls
ls out
