sum() { awk '{ n += $NF } END { printf "%d lines, %.0f\n", NR, n }'; }
# Damaged: reported; 0, or 2 if asked to fail; all lost: 2.
f=data/jfr
for o in '' '--partial ok' '--partial fail' --partial=fail
do
	jfr2flame -q --collapsed $o $f/spark-inflight.jfr | sum
	jfr2flame -q --collapsed $o $f/spark-inflight.jfr >out; echo $?
done
jfr2flame -q --collapsed --partial fail $f/spark-lock.jfr >out; echo $?
jfr2flame -q --collapsed $f/spark-killed.jfr >out; echo $?
