peer=corpus/perf/inferno/diff-folded
same() {
	result=$peer/results/$1.txt
	shift
	flame-diff "$@" $peer/before.txt $peer/after.txt | sort >got
	sort "$result" | cmp - got && echo "${result##*/}"
}
same default
same normalize -n
same strip_hex --strip-hex
