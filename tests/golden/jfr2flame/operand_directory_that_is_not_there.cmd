jfr2flame -q data/jfr/spark-lock.jfr nowhere/out.html
