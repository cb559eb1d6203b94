# No message where nobody listens.
jfr2flame -q data/jfr/spark-cpu-wall.jfr | head -n 1
