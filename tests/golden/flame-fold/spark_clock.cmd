# The clock of an event log that was shifted by 7 s, and by 0, in a corpus' job.
zstd -dcq corpus/jobs/sql/events/*/events_1_* > log
python3 -B corpus/causes/skew.py 7000 log > later
for log in log later; do
	echo "$log"
	flame-fold --event cost --spark-events $log corpus/jobs/sql/profiles/*/*.jfr 2>&1 >/dev/null | grep clock
done
true
