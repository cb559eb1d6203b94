# Two threads, their samples by turns; one sample of b comes too late.
sample() { printf '%s %s [000] %s: 1 cpu-clock:\n\t1 %s (/x)\n\t2 main (/x)\n\n' "$@"; }
{
	sample a 1 1.0 read
	sample b 2 1.1 wait
	sample a 1 1.2 read
	sample b 2 1.5 wait
	sample a 1 1.3 draw
	sample b 2 1.2 wake
	sample a 1 1.4 read
} >in.perf
names() {
	sed -n 's/.* x="\([0-9]*\)" y="\([0-9]*\)" width="\([0-9]*\)".*<title>\(.*\) (.*/\2 \1 \3 \4/p'
}
flame-graph --flamechart in.perf | names
flame-graph --flamechart --threads in.perf >1 && flame-graph --flamechart in.perf | cmp - 1
flame-graph --flamechart --thread '^a' in.perf | names
