# Lines without a word of the pattern are not read further; that changes nothing:
# in a group the same pattern has no such word.  Names are in all their spellings.
cat >in.folded <<'END'
java.lang.Thread.run;org.apache.spark.executor.Executor$TaskRunner.run;a.B.c 1
java/lang/Thread.run_[j];org/apache/spark/executor/Executor$TaskRunner.run_[0];a/B.c_[j] 2
Executor task launch worker for task 7.0 in stage 3.0 (TID 42);interp;x 4
Executor_task_l-123/456;interp;y 8
Lorg/apache/spark/executor/Executor$TaskRunner;::run;z 16
Lorg/apache/spark/executor/Executor$TaskRunner:::run;z 32
main;org-apache-spark-executor-Executor$TaskRunner-run-12;a-b-C-m-3 64
main;void org.apache.spark.executor.Executor$TaskRunner.run();q 128
main;TaskRunnerXrun;v 256
main;other;run;TaskRunner 512
main;ns::Class17<int>::f2(char);g 1024
main;ns::Class18<int>::f2(char);g 2048
END
same() {
	flame-filter "$1" "$2" in.folded >words 2>error
	flame-filter "$1" "($2)" in.folded >group 2>error-of-group
	cmp words group &&
		[ "$(tr -d '()' <error)" = "$(tr -d '()' <error-of-group)" ] &&
		echo "$2: $(awk '{ n += $NF } END { print n + 0 }' words)"
}
for option in --keep --root --root-innermost
do
	echo "$option"
	for pattern in 'TaskRunner\.run' 'TaskRunner.run' 'TaskRunner$' 'Class17' \
		'f2' 'spark.executor' 'TaskRunner.run$' '^main' 'no such' 'B.c'
	do
		same "$option" "$pattern"
	done
done
flame-fold -j2 --root 'TaskRunner\.run' --root-keep-rest in.folded |
	awk '{ n += $NF } END { print n }'
