jfr2flame -o otlp data/jfr/spark-lock.jfr
