for options in 'comm=/worker/' 'tid=/^[0-9]*4/ --label comm=/./' 'cpu=0' 'pid=/./' 'file=/jfr$/' \
	'thread=/Executor/' 'path=/data/.*\.jfr/' 'state=STATE_DEFAULT' 'state=DEFAULT' \
	'thread=/Executor/ --label thread=main' 'thread=/Executor/ --label file=/perf/' \
	'tid=4' 'tid=0-20000,30000-999999' 'tid=20001-29999'
do
	echo "$options" $(flame-filter -q --empty ok --event cpu --label $options \
		data/jfr/spark-cpu-wall.jfr | awk '{ n += $NF } END { print n + 0 }')
done
flame-filter -q --label cpu=2 --by comm,pid,cpu --no-tiers --depth 4 data/perf/layouts.txt
