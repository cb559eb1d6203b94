# --gate: 0 within, 1 worse, 3 cannot tell.
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

gate() {
	flame-diff -q --runs --gate "$@"
	echo "$?"
}
gate 3% a? -- c?
gate 20% a? -- c?
gate 3%,sort a? -- c?
gate 3%,parse a? -- c?
gate '+3%,frame=parse|sort' a? -- c?
gate 1% a? -- b?
gate 50% a1 -- b1
gate 50% a1 a2 -- b1 b2
gate 3% a? -- c1
flame-diff -q --runs a? -- c?
echo "$?"
flame-diff -q --runs a? -- b?
echo "$?"
