# Core-seconds of stacks, by the event log; every table adds up to 16.
cp data/jfr-text/*.types data/jfr-text/ap.kinds data/spark-events/plan.mkjfr .
mkjfr plan.mkjfr >1.jfr
log=data/spark-events/plan.eventlog
# Stage 1's time on executor 2, which was not recorded, has executor 1's shares.
flame-fold --event cost --spark-events $log --by executor,stage 1.jfr >all
cat all
awk '{ n += $NF } END { print n " in all" }' all
flame-fold -q --event cost --spark-events $log --by query,operator 1.jfr
flame-fold -q --event cost --spark-events $log -f tsv 1.jfr
flame-fold -q --event cost --spark-events $log --label codegen=1 -f ndjson 1.jfr
# Of samples of CPU alone, the rest of the tasks' time is not of CPU.
sed '/WallClockSample/d' plan.mkjfr >cpu.mkjfr
mkjfr cpu.mkjfr >cpu.jfr
flame-fold -q --event cost --spark-events $log --by stage cpu.jfr
# In money: 16 core-seconds of 900 an hour are 4.
flame-fold -q --event cost --price 900 --spark-events $log --by stage 1.jfr >money
awk '{ n += $NF } END { print n " in all" }' money
flame-fold --event cost --price 0 --spark-events $log 1.jfr
flame-fold --price 1 --spark-events $log 1.jfr
# Labels without costs.
flame-fold --event wall --spark-events $log --by operator,codegen 1.jfr
# Two logs, of which each has its executors; nothing at all of samples.
flame-fold -q --event cost --spark-events $log \
	--spark-events data/spark-events/two_stages.eventlog --by app,stage 1.jfr
echo 'a;b 1' | flame-fold --event cost --spark-events $log --by stage
