# Without --title a picture is called after its inputs and metric, and
# repeats what they say of themselves, but no secrets.
title() { sed -n 's/^<title>\(.*\)<.t.*/\1/p'; }
cat >exec-1.txt <<'X'
# hostname : node7
# cmdline : perf record -F 99 -- app --db-password=hunter2 Token=x y=1
app 1 [0] 1.0: 1 cycles:
	1 main (app)

X
cp exec-1.txt exec-22.txt
mkdir a b
cp exec-1.txt a && cp exec-1.txt b
flame-graph exec-1.txt | sed -n '/<metadata/,/<.metadata/p'
for of in exec-1.txt 'exec-1.txt exec-22.txt' 'a/exec-1.txt b/exec-1.txt' \
	'exec-1.txt data/README' - '--title T exec-1.txt' '--compat perl exec-1.txt'
do
	flame-graph -q $of <exec-1.txt | title
done
flame-diff -f html exec-1.txt exec-22.txt | title
flame-diff -f html a/exec-1.txt b/exec-1.txt | title
# A page that has a title is called by it.
flame-graph -f html --title 'Stage 11' -o 11.html exec-1.txt
flame-graph -f html --title 'Stage 12' -o 12.html exec-1.txt
flame-diff -f html 11.html 12.html | title
# Of several metrics none is in the title.
flame-graph -q -f html --events all data/jfr/spark-multichunk.jfr | title
# Files that are called by numbers: their folders, or the first ones.
mkdir run1 run2
for id in 29501 29507 29512
do
	echo "a $id" | tee run1/$id.folded run2/$id.folded >$id.folded
	cp $id.folded exec-$id.folded
done
for of in '29501.folded 29507.folded' '29501.folded 29507.folded 29512.folded' \
	'run1/29501.folded run1/29507.folded' \
	'run1/29501.folded run2/29507.folded' 'exec-29501.folded exec-29507.folded'
do
	flame-graph -q $of | title
done
flame-diff -f html run1 run2 | title
# Executors of several applications.
for app in 1 2 3
do
	app=app-20231114221320-000$app
	mkdir $app
	cp 29501.folded $app/async-profiler-app-$app-exec-4-stage-3-epoch-0.folded
	cp 29501.folded $app/async-profiler-app-$app-exec-5-stage-3-epoch-0.folded
done
flame-graph -q app-*1/*-4-* app-*2/* | title
flame-graph -q app-*/* | title
