# Samples of CPU with those of a task's Python worker.  The log has the JVM's CPU
# time alone: 1.3 s and 2.1 s in 20 samples, so each of the worker's six is 0.17 s.
cp data/jfr-text/*.types data/jfr-text/ap.kinds data/spark-events/plan.mkjfr .
log=data/spark-events/plan.eventlog
{
	for i in 0 1 2 3 4 5 6 7 8 9; do
		echo "event jdk.ExecutionSample 1${i}00000000 2 2 0"
		echo "event jdk.ExecutionSample 4${i}00000000 2 2 0"
	done
	for at in 150 160 410 420; do
		echo "event jdk.ExecutionSample ${at}5000000 2 8 0"
	done
	for at in 430 440; do
		echo "event jdk.ExecutionSample ${at}5000000 2 9 0"
	done
} >events
sed '/WallClockSample/d; /^event jdk.ExecutionSample/{
r events
d
}
/^pool jdk.types.Symbol/a\
12 "org/apache/spark/api/python/BasePythonRunner$ReaderIterator"\
13 "hasNext"\
14 ""\
15 "python3.11"\
16 "_start"\
17 "udf (job.py)"\
18 "other (job.py)"
/^pool java.lang.Class/a\
7 name=12\
8 name=14
/^pool jdk.types.Method/a\
7 type=7 name=13\
8 type=8 name=15\
9 type=8 name=16\
10 type=8 name=17\
11 type=8 name=18
/^pool jdk.types.StackTrace/a\
8 frames=[{10 0 0 3} {9 0 0 3} {8 0 0 3} {7 1 0 1} {2 1 0 1}]\
9 frames=[{11 0 0 3} {9 0 0 3} {8 0 0 3} {7 1 0 1} {2 1 0 1}]' plan.mkjfr >python.mkjfr
mkjfr python.mkjfr >python.jfr
flame-fold --event cost --spark-events $log --by executor,stage python.jfr |
	grep '^1;[01];'
# Without the worker's samples, in a job whose tasks hardly compute, a line says
# what is missing.
grep -v 'Sample.* [89] 0$' python.mkjfr >jvm.mkjfr
mkjfr jvm.mkjfr >jvm.jfr
sed 's/"Executor CPU Time":[0-9]*/"Executor CPU Time":10000000/' $log >waits
flame-fold --event cost --spark-events waits --by executor,stage jvm.jfr |
	grep '^1;[01];'
