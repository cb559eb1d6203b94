cp data/jfr/spark-trace.jfr 3-12.jfr
jfr2flame -q --cpu --collapsed --path-labels '(?<executor>\d+)-(?<stage>\d+)' \
	--by executor,stage 3-12.jfr | tail -n 1
