# An event log among the inputs, and a job's folder, are as --spark-events.
cp data/jfr-text/*.types data/jfr-text/ap.kinds .
mkdir -p job/events job/profiles
for n in 1 2; do
	sed "s/executor-id N/executor-id $n/" data/spark-events/executor.mkjfr >$n.txt
	mkjfr $n.txt >job/profiles/$n.jfr
done
cp data/spark-events/two_stages.eventlog log
cp log job/events/app
flame-batch -q --spark-events log -o wanted job/profiles
flame-batch -o file log job/profiles/*.jfr
flame-batch -o folder job
flame-batch -o alone log
gzip -k log
flame-batch -o packed log.gz job/profiles
for site in file folder packed; do
	cmp wanted/data/summary.md $site/data/summary.md && echo same
done
flame-fold log 2>&1
echo "status $?"
