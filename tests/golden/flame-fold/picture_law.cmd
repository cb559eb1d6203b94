# Folded, drawn and folded again is folded, for each recording and text.  A box
# has one tier, so with tiers it is what the folded text is, drawn.
same() {
	flame-graph -q -f "$@" "$input" > x 2> /dev/null
	flame-graph -q -f "$@" 1 > y
	flame-fold -q x > 2
	flame-fold -q y | cmp - 2 || echo "$input: $1"
	flame-fold -q --no-tiers x | cmp - bare || echo "$input: $1, bare"
}
{
	printf 'deep'
	i=0
	while [ $i -lt 3000 ]
	do
		printf ';f%d' $((i % 13))
		i=$((i + 1))
	done
	echo ' 3'
} > deep.folded
for input in data/jfr/*.jfr data/jfr/*.jfr.gz data/perf/*.txt deep.folded
do
	flame-fold -q "$input" > 1 2> /dev/null || continue
	[ -s 1 ] || continue
	flame-fold -q --no-tiers 1 > bare
	same html
	# Names with bytes that are not text are not XML's.
	iconv -f utf-8 -t utf-8 1 > /dev/null 2>&1 || continue
	same svg --minwidth 0.000001
	n=$((n + 1))
done
[ "$n" -gt 10 ] || echo "only $n"
