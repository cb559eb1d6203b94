# A folder alone on its side is its runs; among others it is one.
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

mkdir -p before after/1 after/2 after/3 empty
mv a? before
for i in 1 2 3
do
	mv "c$i" "after/$i/one"
	echo 'main;read 10' >"after/$i/two"
done
flame-diff --runs before after
flame-diff --runs before -- after/1 after/2 after/3
flame-diff --runs before empty 2>&1
echo "$?"
# The title of unlike numbers of runs.
flame-diff --quiet --runs -f html before after | grep -o '<title>[^<]*'
