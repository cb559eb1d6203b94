# What cannot be done is reported, with what can.
# run SEED GROWTH: stacks of a job whose counts vary a little from run to run.
run() {
	awk -v seed="$1" -v growth="${2-1}" '
	function put(stack, n, i) {
		n += (seed * 7919 + i * 10473) % 41 - 20
		printf "%s %d\n", stack, n
	}
	BEGIN {
		put("main;read;parse", 1000 * growth, 1)
		put("main;read", 200, 2)
		put("main;sort", 2000, 3)
		put("main;write;format", 700, 4)
		put("main;write", 400, 5)
	}'
}
for i in 1 2 3 4 5
do
	run "$i" >"a$i"
	run "1$i" >"b$i"
	run "2$i" 1.1 >"c$i"
done

wrong() {
	flame-diff "$@" 2>&1
	echo "$?"
}
wrong --runs a1 a2 a3
wrong --runs a? --
wrong --gate 3% a1 b1
wrong --fdr 5% a1 b1
wrong --runs --gate 3 a? -- b?
wrong --runs --gate -3% a? -- b?
wrong --runs --gate 3%, a? -- b?
wrong --runs --gate '3%,(' a? -- b?
wrong --runs --gate 3%,prase a? -- b?
wrong --runs --fdr 100% a? -- b?
wrong --runs --top a? -- b?
wrong --runs --events all a? -- b?
wrong --runs -f svg a? -- b?
wrong --runs -q -f json a? -- b?
wrong --runs --normalize=time a? -- b?
wrong --runs --keep nothing a? -- b?
wrong --runs a? -- b1 missing
