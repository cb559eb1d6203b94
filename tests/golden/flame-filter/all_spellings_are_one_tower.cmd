# TaskRunner.run as each source spells it.
cat >spelt <<'END'
java/lang/Thread.run_[0];org/apache/spark/executor/Executor$TaskRunner.run_[0];work_[j] 1
Thread.run;Executor$TaskRunner.run;work 2
java.base@17.0.15/java.lang.Thread.run(Thread.java:840);org.apache.spark.executor.Executor$TaskRunner.run(Executor.scala:552);work 4
java.lang.Thread.run(Thread.java:840);app//org.apache.spark.executor.Executor$TaskRunner.run(Executor.scala:600);work 8
java-lang-Thread-run-745;org-apache-spark-executor-Executor$TaskRunner-run-214;work 16
start_thread;Lorg/apache/spark/executor/Executor$TaskRunner;::run;work 32
start_thread;Lorg/apache/spark/executor/Executor$TaskRunner:::run;work 64
start_thread;void org.apache.spark.executor.Executor$TaskRunner.run();work 128
Executor_task_l;start_thread;Interpreter;work 256
main;other 512
END
for re in TaskRunner.run 'TaskRunner\.run$' '^org/apache/spark/.*run$' \
	'^org\.apache\.spark\..*run$'
do
	echo "$re"
	flame-filter -q --root "$re" --depth 1 spelt
	flame-filter -q --keep "$re" spelt | awk '{ n += $NF } END { print n }'
	flame-filter -q --drop "$re" spelt | awk '{ n += $NF } END { print n }'
done
flame-filter --root TaskRunner.run spelt
# What perf script prints, of threads whose run() has no name; and a recording.
cat >perf.txt <<'END'
Executor task l  2509  1350.151444:   10101010 cpu-clock:pppH: 
	    7f0250ed4d90 void java.util.DualPivotQuicksort.countingSort(byte[], int, int)+0x270 (/tmp/perf-2487.map)
	    7f0250941260 Interpreter+0x6e0 (/tmp/perf-2487.map)
	          8282d2 JavaCalls::call_helper+0x302 (/opt/jdk/lib/server/libjvm.so)

Executor task l  2509  1350.161444:   10101010 cpu-clock:pppH: 
	    7f0250ed4d90 Lorg/apache/spark/executor/Executor$TaskRunner;::run+0x270 (/tmp/perf-2487.map)
	    7f0250941260 Interpreter+0x6e0 (/tmp/perf-2487.map)

C2 CompilerThre  2510  1350.161444:   10101010 cpu-clock:pppH: 
	          8282d2 Compile::Compile+0x302 (/opt/jdk/lib/server/libjvm.so)

END
flame-filter --no-tiers --root TaskRunner.run perf.txt 2>&1
flame-filter -q --no-tiers --root TaskRunner.run --depth 1 --event cpu-clock:pppH \
	perf.txt spelt
