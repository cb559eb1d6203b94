app=application_1600000000000_0042
mkdir -p in/$app in/_temporary
name=in/async-profiler-app-$app
printf 'main;org/apache/spark/executor/Executor$TaskRunner.run;a 6\nmain 2\n' \
	>$name-exec-1-stage-2-epoch-0.folded
printf 'main;org/apache/spark/executor/Executor$TaskRunner.run;<b> 4\n' \
	>$name-exec-12-stage-2-epoch-1.folded
printf 'main;c 9\n' >$name-exec-1-stage-10-epoch-0.folded
printf 'main;driver 5\n' >in/$app/profile-driver.folded
printf 'plain 1\n' >in/plain.folded
printf 'hidden 1\n' | tee in/.hidden in/_SUCCESS >in/_temporary/x
find in -type f -exec touch -d 2026-01-02T03:04:05Z {} +
flame-batch -o site in in/plain.folded
ls -R site
cat site/data/index.json
cat site/data/manifest.json
cat site/data/$app-stage-2.json
flame-fold -q site/data/$app-stage-2.samples.folded.zst
grep '^<tr ' site/index.html
flame-batch -o site in
