# As tests/corpus/native does, a case of each.
same() {
	result=$1
	shift
	flame-fold "$@" | sort >got
	sort "$result" | cmp - got && echo "${result##*/}"
}
dtrace=corpus/perf/inferno/collapse-dtrace
sample=corpus/perf/inferno/collapse-sample
same $dtrace/results/rust-names.txt --compat inferno $dtrace/rust-names.txt
same $dtrace/results/flamegraph-bug.txt --compat inferno --includeoffset $dtrace/flamegraph-bug.txt
same corpus/formats/dtrace/example-dtrace-stacks.txt.expected.flamegraph.folded --compat perl corpus/formats/dtrace/example-dtrace-stacks.txt
same $sample/results/sample-default.txt --compat inferno $sample/sample.txt
same $sample/results/sample-no-modules.txt --compat inferno --no-modules $sample/sample.txt
