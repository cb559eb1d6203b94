# A comment for a pull request: 40 lines at most.
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

flame-diff --runs --gate 3% -f markdown a? -- c?
for i in $(seq 60)
do
	echo "main;f|$i 100"
done >few
for i in $(seq 60)
do
	echo "main;f|$i $((i % 2 ? 150 : 60))"
done >many
flame-diff --runs -o out.md few few few -- many many many
wc -l <out.md
sed -n '7,10p' out.md
