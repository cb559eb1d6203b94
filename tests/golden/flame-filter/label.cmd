for options in 'comm=worker' 'tid=^[0-9]*4 --label comm=.' 'cpu=0' 'pid=.' 'file=jfr$' \
	'thread=Executor' 'path=data/.*\.jfr' 'state=DEFAULT' \
	'thread=Executor --label thread=main' 'thread=Executor --label file=perf'
do
	echo "$options" $(flame-filter -q --event cpu --label $options \
		data/jfr/spark-cpu-wall.jfr | awk '{ n += $NF } END { print n + 0 }')
done
flame-filter -q --label cpu=2 --by comm,pid,cpu --no-tiers --depth 4 data/perf/layouts.txt
