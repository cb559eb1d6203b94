# A page for each stage, of recordings that hold several.
cp data/jfr-text/*.types data/jfr-text/ap.kinds .
for n in 1 2; do
	sed "s/executor-id N/executor-id $n/
		s/NAME/Executor task launch worker for task 1.1 in stage 1.0 (TID 3)/g" \
		data/spark-events/executor.mkjfr >$n.txt
	mkjfr $n.txt >$n.jfr
done
printf 'a;b 3\n' >5.folded
: >empty.jfr
cp data/spark-events/two_stages.eventlog log
touch -d 2026-01-02T03:04:05Z *.jfr *.folded log
flame-batch --spark-events log -o site *.jfr *.folded
ls -R site
cat site/data/all.inputs.json
for page in site/data/*stage-*.json site/data/*no-task.json site/data/all.json; do
	cat $page
done
for folded in site/data/*.folded.zst; do
	flame-fold -q $folded | sed "s,^,${folded#site/data/}: ,"
done
grep -o '<title>[^<]*' site/stages/*.html
grep '^<tr ' site/index.html
# The sums are those of one reading.
flame-fold -q site/data/*.cpu.folded.zst >pages
flame-fold -q *.jfr >wanted
cmp pages wanted && tail -n 3 pages
for stage in 0 1 2 0+1 '[no task]'; do
	echo "stage $stage: $(flame-fold -q --spark-events log --label stage="$stage" *.jfr |
		awk '{ n += $NF } END { print n }')"
done
# A filter that passes samples on at the end.
flame-batch -q --root 'm[01]' --spark-events log -o root *.jfr
grep -o '"title":[^}]*\|"files.*executors":.\|"weight":[0-9]*' root/data/*-stage-*.json
# Nothing has changed; the log has.
flame-batch --spark-events log -o site *.jfr *.folded
touch -d 2026-01-02T03:04:06Z log
flame-batch --spark-events log -o site *.jfr *.folded
# One page is missing.
rm site/stages/*stage-1.html
flame-batch --spark-events log -o site *.jfr *.folded 2>/dev/null
ls site/stages/*stage-1.html
# A log of another application changes nothing, nor does the stage of a path.
app=app-20231114221320-0000
mkdir logs
mv log logs/$app
sed "s/$app/app-20200101000000-0000/" logs/$app \
	>logs/app-20200101000000-0000.inprogress
mv 1.jfr async-profiler-app-$app-exec-1-stage-77-epoch-0.jfr
mv 2.jfr async-profiler-app-$app-exec-2-stage-78-epoch-0.jfr
flame-batch --spark-events logs/$app --spark-events logs --time -o times async*
ls -R times
grep -o '"logs":.*"inputs"' times/data/$app.inputs.json
flame-batch --spark-events nothing -o other async*
echo "status $?"
[ -e other ] || echo 'no site'
