jfr2flame --event nosuch -o collapsed data/jfr/spark-lock.jfr
