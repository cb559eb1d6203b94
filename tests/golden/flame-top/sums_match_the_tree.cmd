flame-fold -q data/jfr/spark-cpu-wall.jfr | awk '{ n += $NF } END { print n }'
flame-top -q -N 0 -f tsv data/jfr/spark-cpu-wall.jfr |
	awk -F '\t' '{ n += $1 } END { print n }'
flame-top -q --tree --min 0 -f tsv data/jfr/spark-cpu-wall.jfr |
	awk -F '\t' '{ n += $2 } END { print n }'
