# Samples and nanoseconds of one name are added, as --event cpu asks for, but
# not without a word.
for j in 1 3
do
	flame-graph -j $j -f svg data/vtune/report.csv \
		data/jfr/spark-cpu-wall.jfr 2>&1 >a.svg
	grep -o 'all ([^)]*units[^)]*)' a.svg
done
flame-graph --event wall -f svg data/vtune/report.csv \
	data/jfr/spark-cpu-wall.jfr | grep -o 'all ([^)]* samples, 100[^)]*)'
