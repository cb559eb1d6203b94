# Files and folders of event logs, whole and not.
cp data/jfr-text/*.types data/jfr-text/ap.kinds .
sed 's/executor-id N/executor-id 1/' data/spark-events/executor.mkjfr >1.txt
mkjfr 1.txt >1.jfr
log=data/spark-events/two_stages.eventlog
stages() {
	flame-fold --by stage --spark-events "$@" 1.jfr | sort |
		awk '{ sub(/;.*/, ""); printf "%s ", $0 } END { print "" }'
}
stages $log
zstd -qc $log >zstd
stages zstd
gzip -nc $log >gz
stages gz
# A rolling log, whose first two parts were compacted.
dir=logs/eventlog_v2_app-1
mkdir -p $dir
: >$dir/appstatus_app-1
sed -n 1,9p $log >$dir/events_1_app-1
sed -n 1,9p $log >$dir/events_2_app-1.compact
sed -n '10,12p' $log | zstd -qc >$dir/events_3_app-1.zstd
sed -n '13,$p' $log >$dir/events_10_app-1
stages $dir
for part in 4 5 6 7 8 9; do
	: >$dir/events_${part}_app-1
done
stages $dir
stages logs
# It is being written: the last line is not whole.
mkdir live
sed -n 1,13p $log >live/app-1.inprogress
sed -n 14p $log | head -c 100 >>live/app-1.inprogress
stages live/app-1.inprogress
mv live/app-1.inprogress cut
stages cut
sed '9s/^.*$/{"Event":"SparkListenerTaskStart"/' $log >bad
stages bad
# No logs.
mkdir empty
for not in $log/x nothing empty 1.jfr 1.txt; do
	flame-fold --spark-events $not 1.jfr
	echo $?
done
