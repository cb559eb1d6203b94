sum() { awk '{ n += $NF } END { printf "%d lines, %.0f\n", NR, n }'; }
# How long a wall sample is is in the first chunk, which ends before --from 7s;
# what comes before and after that are all of it.
f=data/jfr/spark-multichunk.jfr
jfr2flame -q --wall --total -o collapsed $f | sum
jfr2flame -q --wall --total --to 7s -o collapsed $f | sum
for jobs in 1 2; do
	jfr2flame -q --wall --total --from 7000.000001 -j $jobs -o collapsed $f | sum
	cat $f | jfr2flame -q --wall --total --from 7000.000001 -j $jobs -o collapsed | sum
done
