# Two sites of flame-batch: queries and stages by name and plan, whatever their
# ids; a frame that grew, a plan and a query's text that changed.
# row ID QUERY STAGE PLAN COST UDF: a stage of 100 samples a core-second, so
# many of them in a frame of the user.
row() {
	samples=$(echo "$5" | awk '{ printf "%d", $1 * 100 }')
	printf 'main;task;udf %d\nmain;task;scan %d\n' "$6" $((samples - $6)) \
		>"$site/data/$1.wall.folded"
	printf '%s{"query":"%s","stage":"%s","id":%d,"plan":"%s","cost":%s,' \
		"$comma" "$2" "$3" "$1" "$4" "$5"
	printf '"samples":%d,"page":"stages/%s.html","stacks":{"wall":"%s"}}' \
		"$samples" "$1" "data/$1.wall.folded"
	comma=,
}
# site NAME SPARK EXECUTORS FIRST-ID, of the rows that rows() prints
site() {
	site=$1 n=$4 comma=
	mkdir -p "$site/data"
	echo >"$site/index.html"
	echo '{}' >"$site/data/manifest.json"
	echo '[]' >"$site/data/index.json"
	{
		printf '{"version":1,"apps":[{"id":"app-%s","name":"nightly",' "$4"
		printf '"spark":"%s","executors":%d,"rows":[' "$2" "$3"
		rows
		printf ',{"query":"[idle]","stage":"[idle]","cost":%s}]}]}\n' "$3"
	} >"$site/data/summary.json"
}
rows() {
	row $n 'q1 sums' 'save at job.py:1' 'HashAggregate, Project' 10.0 100
	row $((n + 1)) 'q1 sums' 'save at job.py:1' 'Sort' 5.0 10
	row $((n + 2)) 'q2 udf' 'save at job.py:2' 'ArrowEvalPython' 20.0 800
	row $((n + 3)) 'q3 join' 'x' 'SortMergeJoin, Project' 8.0 50
	row $((n + 4)) 'SELECT a FROM t' 'save at job.py:4' 'Scan, Filter' 7.0 10
	row $((n + 5)) 'q5' 'x' 'Sort' 30.0 20
	row $((n + 6)) 'q5' 'x' 'Sort' 10.0 20
	row $((n + 7)) 'q6 old' 'y' 'Union' 1.0 5
}
site monday 4.2.0 2 17
rows() {
	row $((n + 7)) 'q7 new' 'z' 'Window' 2.0 5
	row $((n + 6)) 'q5' 'x' 'Sort' 10.1 20
	row $((n + 5)) 'q5' 'x' 'Sort' 29.5 20
	row $((n + 4)) 'SELECT a, b FROM t' 'save at job.py:4' 'Scan, Filter' 7.1 10
	row $((n + 3)) 'q3 join' 'x' 'BroadcastHashJoin, Project' 8.1 50
	row $((n + 2)) 'q2 udf' 'save at job.py:2' 'ArrowEvalPython' 30.0 1800
	row $n 'q1 sums' 'save at job.py:1' 'HashAggregate, Project' 10.1 100
	row $((n + 1)) 'q1 sums' 'save at job.py:1' 'Sort' 4.9 10
}
site tuesday 4.3.0 3 90
flame-diff monday tuesday
flame-diff -f markdown monday tuesday | tail -n +6 | head -n 3
flame-diff -o out.json monday tuesday
grep -c '"changed":	true' out.json
flame-diff -q monday tuesday || echo $?
flame-diff -q monday monday && echo same
# A site beside a profile; pictures of two sites.
echo 'main 1' >profile
for wrong in 'monday profile' '-f svg monday tuesday' '--top monday tuesday' \
	'--runs monday tuesday'
do
	flame-diff $wrong 2>&1
	echo $?
done
