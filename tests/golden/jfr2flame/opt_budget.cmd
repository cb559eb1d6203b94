jfr2flame -f text --budget 1k data/jfr/spark-lock.jfr
