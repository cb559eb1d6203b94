# What needs more ends in one line, and 2; a size that is none is refused.
jfr2flame -q --collapsed --memory-limit 64M data/jfr/spark-cpu-wall.jfr | cksum | wc -l
jfr2flame --collapsed --memory-limit lots data/jfr/spark-cpu-wall.jfr -
jfr2flame --collapsed --memory-limit 100k data/jfr/spark-cpu-wall.jfr -
