# The cost of each stage, by the event log.
cp data/jfr-text/*.types data/jfr-text/ap.kinds .
for n in 1 2; do
	sed "s/executor-id N/executor-id $n/
		s/NAME/Executor task launch worker for task 1.1 in stage 1.0 (TID 3)/g" \
		data/spark-events/executor.mkjfr >$n.txt
	mkjfr $n.txt >$n.jfr
done
log=data/spark-events/two_stages.eventlog
flame-top --by stage --depth 1 --spark-events $log 1.jfr 2.jfr
flame-top --by stage-name,stage-tasks --depth 2 --total --spark-events $log 1.jfr 2.jfr
