# Tables that we write are named, and not taken for stacks.
try() {
	flame-fold "$@" && echo "$? read"
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
flame-fold other.dot 2>&1 | sed 's/; read are.*//'
