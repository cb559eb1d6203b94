jfr2flame -q --classify --depth 1 -o collapsed data/jfr/spark-cpu-wall.jfr
