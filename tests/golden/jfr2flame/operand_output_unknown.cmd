jfr2flame -o jfr data/jfr/spark-lock.jfr
