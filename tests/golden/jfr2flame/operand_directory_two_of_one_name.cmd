mkdir one two three out
for folder in one two three
do
	cp data/jfr/spark-lock.jfr $folder/x.jfr
done
jfr2flame one/x.jfr two/x.jfr data/jfr/spark-trace.jfr three/x.jfr out
status=$?
ls out
exit $status
