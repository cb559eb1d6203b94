sum() { awk '{ n += $NF } END { printf "%d lines, %.0f\n", NR, n }'; }
# -I and -X as --keep and --drop, and the historic --include and --exclude,
# which want the whole name.
f=data/jfr/spark-lock.jfr
jfr2flame -q -o collapsed $f | sum
for o in '-I ResultTask' '--keep ResultTask' '-X ResultTask' '--drop ResultTask' \
	'--include ResultTask' '--include .*ResultTask.*' \
	'--exclude ResultTask' '--exclude .*ResultTask.*'
do
	echo "$o: $(jfr2flame -q $o -o collapsed $f | sum)"
done
