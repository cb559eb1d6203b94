jfr2flame -q data/jfr/spark-lock.jfr | head -n 1
ls
