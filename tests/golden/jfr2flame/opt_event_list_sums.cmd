# The total that is listed is the total that is drawn, and so for samples
# that have a stack.
for f in spark-cpu-wall spark-alloc-live spark-lock spark-nativemem spark-trace \
	jdk25-cputime
do
	jfr2flame -q --event list data/jfr/$f.jfr | sed 1d |
	while read -r event samples total unit first last threads none
	do
		case $event in jdk.*) continue ;; esac
		n=$(jfr2flame -q --event $event --collapsed data/jfr/$f.jfr | awk '{ n += $NF } END { printf "%.0f", n }')
		t=$(jfr2flame -q --event $event --total --collapsed data/jfr/$f.jfr | awk '{ n += $NF } END { printf "%.0f", n }')
		[ $none -eq 0 ] || [ $event = nativemem ] || t=$total
		[ "$n $t" = "$((samples - none)) $total" ] ||
			echo "$f $event: $samples - $none, $total; drawn $n, $t"
	done
done
