# A log that ends before its application: samples that are later than its last
# time are [after the log], and not [no task]; those before are as they were.
cp data/jfr-text/*.types data/jfr-text/ap.kinds .
sed 's/executor-id N/executor-id 1/' data/spark-events/executor.mkjfr >1.txt
mkjfr 1.txt >1.jfr
log=data/spark-events/two_stages.eventlog
stages() {
	flame-fold --by stage --spark-events "$@" 1.jfr | sort |
		awk '{ n = $NF; sub(/;.*/, ""); s[$0] += n }
			END { for (i in s) print i, s[i] }' | sort
}
lines=$(wc -l <$log)
echo 'whole, and without its last lines'
stages $log
for n in $((lines - 1)) 17 14 12 10; do
	head -n $n $log >cut
	echo "$n of $lines lines"
	stages cut
done
echo 'cut within a line, running, packed and cut'
head -c $(($(wc -c <$log) * 2 / 3)) $log >part
stages part
cp part app-1.inprogress
stages app-1.inprogress
{ head -n 14 $log | zstd -qc; tail -n 7 $log | zstd -qc; } | head -c 1000 >part.zstd
stages part.zstd
echo 'a rolling log without its last part; an attempt after one that was cut'
mkdir eventlog_v2_app-1 logs
head -n 12 $log >eventlog_v2_app-1/events_1_app-1
stages eventlog_v2_app-1
head -n 12 $log >logs/app-1_1
sed '/ApplicationStart/s/:1700000000000/:1700000000500/' $log >logs/app-1_2
stages logs
echo 'pages'
flame-batch --spark-events cut -o site 1.jfr
ls site | grep html
flame-batch --spark-events part.zstd -o packed 1.jfr
