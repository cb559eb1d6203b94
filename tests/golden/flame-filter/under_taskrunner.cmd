flame-filter -q --root TaskRunner.run --no-tiers --depth 4 \
	data/jfr/spark-cpu-wall.jfr
