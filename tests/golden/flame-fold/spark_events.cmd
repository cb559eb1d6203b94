# The stage of each sample, by the event log.
cp data/jfr-text/*.types data/jfr-text/ap.kinds .
for n in 1 2; do
	sed "s/executor-id N/executor-id $n/
		s/NAME/Executor task launch worker for task 1.1 in stage 1.0 (TID 3)/g" \
		data/spark-events/executor.mkjfr >$n.txt
	mkjfr $n.txt >$n.jfr
done
log=data/spark-events/two_stages.eventlog
# Executors know their number; where the path does, it wins.
flame-fold --spark-events $log --by executor,stage 1.jfr 2.jfr >stages
cat stages
awk '{ n += $NF } END { print n " in all" }' stages
flame-fold --spark-events $log --key executor,stage,task,attempt,partition,query 1.jfr 2.jfr
flame-fold --spark-events $log --by app,stage-name 2.jfr
flame-fold --label stage=1 --label stage=0+1 --spark-events $log 1.jfr 2.jfr
mv 1.jfr profile-exec-9.jfr
flame-fold --spark-events $log --empty ok --by stage profile-exec-9.jfr
flame-fold --spark-events $log --executor 2 --by stage data/jfr/spark-cpu-wall.jfr |
	awk '{ sub(/;.*/, ""); print }' | sort | uniq -c
flame-fold --empty ok --spark-events $log --by stage data/jfr/spark-cpu-wall.jfr |
	awk '{ sub(/;.*/, ""); print }' | sort | uniq -c
echo 'a;b 1' | flame-fold --empty ok --spark-events $log --by stage
