jfr2flame -o pprof data/jfr/spark-lock.jfr
