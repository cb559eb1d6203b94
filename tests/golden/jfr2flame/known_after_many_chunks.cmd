# The state of a chunk's stacks is stored in a byte: of two chunks with the
# same one, 255 apart, the later one has other methods.  None of the chunks
# between them has these stacks.
cp data/jfr-text/*.types .
awk '/^chunk/ { n++ } n { print >"chunk" n ".txt" }' \
	data/jfr-text/known_traces.txt
sed 's/}\]/} {9 1 0 1}]/' chunk2.txt >between.txt
for n in 1 2 3; do
	mkjfr chunk$n.txt >chunk$n.jfr
done
mkjfr between.txt >between.jfr
{
	cat chunk1.jfr chunk2.jfr
	for n in $(seq 254); do
		cat between.jfr
	done
	cat chunk3.jfr
} >many.jfr
jfr2flame -q --cpu --overlap keep -j 1 -o collapsed many.jfr | sort >one
jfr2flame -q --cpu --overlap keep -j 2 -o collapsed many.jfr | sort | cmp - one
awk '{ n += $NF } END { print NR, n }' one
grep g3 one
