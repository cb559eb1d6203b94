# The page of several runs has the findings of the text, and the sums of both sides.
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
grep -o '<title>[^<]*' page.html | head -n 1
# What the text says, and the numbers of each run.
flame-diff --runs a? -- c? >found
sed -n 's/.*<template id="findings">\(.*\)<\/template>/\1/p' page.html >findings
tr '<' '\n' <findings | sed -n 's/^p>//p' | sed 's/&lt;/</g; s/&gt;/>/g' |
	grep -vxF -f found && echo 'not in the text'
grep -o '<button.*' findings | tr '>' '\n' | grep -o '^[^<][^<]*'
cat a? c? | awk '/script/ { print $2 }' | tr '\n' ' '
echo
cat a? | awk '{ sum += $2 } END { print sum }'
cat c? | awk '{ sum += $2 } END { print sum }'
grep -o 'data-total="[0-9]*" data-before="[0-9]*"' page.html || grep -o 'data-[a-z]*="[0-9]*"' page.html
# Fewer runs before: their sums are as they are, and so is the title.
flame-diff --runs -n --title T -o page.html a1 a2 -- c?
grep -o '<title>[^<]*' page.html | head -n 1
grep -o '[0-9,]* → [0-9,]* samples' page.html
cat a1 a2 | awk '{ sum += $2 } END { print sum }'
