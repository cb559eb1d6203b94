# Tables that we write are read as the stacks that they were made of.
try() {
	flame-fold "$@" >read && awk '{ n += $NF } END { print n, "read" }' read
}
echo 'app;b 5' >a.folded
flame-fold -f tsv a.folded >a.tsv
flame-fold -f ndjson a.folded >a.ndjson
flame-fold --event cpu -f tsv $DATA/jfr/jdk25-cputime.jfr 2>/dev/null >labels.tsv
flame-fold --event cpu -f ndjson $DATA/jfr/jdk25-cputime.jfr 2>/dev/null >labels.ndjson
for file in a.tsv a.ndjson labels.tsv labels.ndjson; do try $file; done
# A graph of go tool pprof, and one of another program.
printf 'digraph "main" {\nnode [style=filled fillcolor="#f8f8f8"]\nsubgraph cluster_L { "File: main" [shape=box] }\nN1 [label="leaf"]\n}\n' >go.dot
printf 'digraph "main" {\nN1 [label="leaf"]\n}\n' >other.dot
try go.dot
flame-fold other.dot 2>&1 | sed 's/; libflame-formats.*//'
echo 'tables of threads and labels are the stacks that they were made of'
jfr=$DATA/jfr/spark-cpu-wall.jfr
for by in '' '--by thread' '--by state'; do
	flame-fold -q --event cpu $by $jfr >want
	for format in tsv ndjson; do
		flame-fold -q --event cpu -f $format $jfr >table
		flame-fold -q $by table | cmp - want
		flame-fold -q -f $format table | cmp - table
	done
done
awk '{ n += $NF } END { print n " samples" }' want
echo 'a row that is cut, that lacks a cell, whose value is none'
flame-fold -f tsv a.folded >t
{ cat t; printf 'samples\tsamples\t2\n'; printf 'samples\tsamples\tx\ta\n'; cat t; printf 'samples\tsamples\t1\ta;b'; } |
	flame-fold --partial ok
{ cat a.ndjson; echo '{"metric":"samples","unit":"samples","value":"3","stack":"c"'; echo '{"metric":7'; } | flame-fold
