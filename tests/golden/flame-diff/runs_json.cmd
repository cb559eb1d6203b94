# All of it as JSON.
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

flame-diff --runs --fdr 1% --gate 5% -f json a? -- c?
flame-diff --runs -o out.json a? -- c?
grep -c parse out.json
