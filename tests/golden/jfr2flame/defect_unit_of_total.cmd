# "ns" that were counts: each total has its own unit.
unit() {
	jfr2flame -q "$@" -o svg | sed -n 's/.*<title>all (\(.*\), .*/\1/p'
}
unit --cpu data/jfr/spark-cpu-wall.jfr
unit --cpu --total data/jfr/spark-cpu-wall.jfr
unit --wall data/jfr/spark-cpu-wall.jfr
unit --wall --total data/jfr/spark-cpu-wall.jfr
unit --alloc data/jfr/spark-alloc-live.jfr
unit --alloc --total data/jfr/spark-alloc-live.jfr
unit --live --total data/jfr/spark-alloc-live.jfr
unit --nativemem --total data/jfr/spark-nativemem.jfr
unit --lock data/jfr/spark-lock.jfr
unit --lock --total data/jfr/spark-lock.jfr
unit --trace --total data/jfr/spark-trace.jfr
unit --cpu-time data/jfr/jdk25-cputime.jfr
unit --cpu-time --total data/jfr/jdk25-cputime.jfr
echo 'a 5' | unit
