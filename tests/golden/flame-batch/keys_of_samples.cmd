# Pages by labels of samples: stages, tasks, tags and threads of spans.
mkjfr data/jfr-text/task_spans.txt >spans.jfr
app=app-20260102030405-0006
mkdir -p in/$app other
cp spans.jfr in/$app/profile-exec-1.jfr
cp spans.jfr in/$app/profile-exec-2.jfr
# The stage of a path wins; other inputs know of none.
cp spans.jfr in/async-profiler-app-$app-exec-3-stage-5-epoch-0.jfr
printf 'main;plain 7\n' >in/plain.folded
find in -type f -exec touch -d 2026-01-02T03:04:05Z {} +
flame-batch --overlap keep -o site in
ls -R site
for folded in site/data/*.cpu.folded.zst; do
	flame-fold -q $folded | sed "s,^,${folded#site/data/}: ,"
done
flame-fold -q --no-tiers site/data/*.cpu.folded.zst >pages
flame-fold -q --overlap keep --no-tiers --event cpu $(find in -name '*.jfr') | cmp - pages
cat site/data/index.json
cat site/data/$app.inputs.json
grep -o '<title>[^<]*' site/stages/*.html
grep -o '"title":[^}]*}' site/data/$app-*stage*.json
# Nothing has changed; a page is missing.
flame-batch --overlap keep -o site in
rm site/stages/$app-stage-7.html
flame-batch --overlap keep -o site in
ls site/stages/$app-stage-7.html
# Other keys, and such as no sample has.
flame-batch --overlap keep --key app,stage,task,partition -o tasks in/$app
flame-batch --overlap keep --key tag,thread -o tags in/$app
flame-batch --overlap keep --empty ok --key thread,tga -o threads in/plain.folded
for site in tasks tags threads; do
	echo "$site: $(echo $site/stages/*.html | wc -w) pages"
	grep -h -o '"title":"[^"]*"\|"pages":.*' $site/data/*.inputs.json $site/data/index.json
	flame-fold -q --event cpu $site/data/*.folded.zst | awk '{ n += $NF } END { print n }'
done
# The log names the stage, and the spans the task.
sed 's/app-[0-9]*-0000/'$app/ data/spark-events/two_stages.eventlog >log
flame-batch -q --spark-events log --key app,stage,tag -o log-site in/$app
grep -h -o '"pages":.*' log-site/data/*.inputs.json
