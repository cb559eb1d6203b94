sum() { awk '{ n += $NF } END { printf "%d lines, %.0f\n", NR, n }'; }
# Of 04:21 (killed, so its chunk is not finished) and 04:22: in any order,
# --from and --to count from the beginning and the end of both.
cat data/jfr/spark-killed.jfr data/jfr/spark-multichunk.jfr >first.jfr
cat data/jfr/spark-multichunk.jfr data/jfr/spark-killed.jfr >last.jfr
for f in first.jfr last.jfr; do
	for times in '--from -2s' '--to -3s' '--from 110s' '--from 04:22:55'; do
		jfr2flame -q --cpu $times -o collapsed $f | sum
		jfr2flame -q --cpu $times -o collapsed -j 2 $f | sum
	done
done
# A pipe: the time that is asked for is known too late.
cat last.jfr | jfr2flame --cpu --from 3s -o collapsed | sum
cat last.jfr | jfr2flame -q --cpu --from 04:22:55 -o collapsed | sum
# One of format 0.9, years before.
(cd data/jfr-text && mkjfr version_0_9.txt) >old.jfr
jfr2flame -q --cpu --to 3s -o collapsed old.jfr
cat data/jfr/spark-multichunk.jfr old.jfr >last.jfr
cat old.jfr data/jfr/spark-multichunk.jfr >first.jfr
jfr2flame -q --cpu --to 3s -o collapsed last.jfr
jfr2flame -q --cpu --to 3s -o collapsed first.jfr
jfr2flame -q --cpu --from -2s -o collapsed last.jfr | sum
