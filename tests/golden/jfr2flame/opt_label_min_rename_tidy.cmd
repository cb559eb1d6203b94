# The filters that other tools have too.
jfr2flame -q --root TaskRunner.run --root-keep-rest --min 40% --norm --dot \
	--no-tiers --rename 's/^.*\.([A-Z])/\1/' --tidy java-lambdas \
	data/jfr/spark-cpu-wall.jfr -f folded -o -
jfr2flame -q --label thread=main --depth 1 data/jfr/spark-cpu-wall.jfr \
	-f folded -o -
