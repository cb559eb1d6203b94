# The page of several runs has the findings of -f json, and the sums of both sides.
run() {
	awk -v seed="$1" -v growth="${2-1}" '
	function put(stack, n, i) {
		n += (seed * 7919 + i * 10473) % 41 - 20
		printf "%s %d\n", stack, n
	}
	BEGIN {
		put("main;read;</script>", 1000 * growth, 1)
		put("main;read", 200, 2)
		put("main;sort", 2000, 3)
		put("main;write;format", 700, 4)
		put("main;write", 400, 5)
	}'
}
for i in 1 2 3 4 5
do
	run "$i" >"a$i"
	run "2$i" 1.1 >"c$i"
done
flame-diff --runs -o page.html a? -- c?
grep -o '<title>[^<]*' page.html
flame-diff --runs -f json a? -- c? >found.json
sed -n 's/.*id="findings">\(.*\)<\/script>/\1/p' page.html |
	python3 -c 'import json, sys
page = json.load(sys.stdin)
print(*page.pop("lines"), sep="\n")
print(page == json.load(open("found.json")), page["changes"][0]["frame"])'
cat a? | awk '{ sum += $2 } END { print sum }'
cat c? | awk '{ sum += $2 } END { print sum }'
grep -o 'data-total="[0-9]*" data-before="[0-9]*"' page.html || grep -o 'data-[a-z]*="[0-9]*"' page.html
# Fewer runs before: their sums are scaled to as many.
flame-diff --runs -n --title T -o page.html a1 a2 -- c?
grep -o '<title>[^<]*' page.html
grep -o '[0-9,]* → [0-9,]* samples' page.html
cat a1 a2 | awk '{ sum += $2 } END { printf "%.0f\n", sum * 5 / 2 }'
