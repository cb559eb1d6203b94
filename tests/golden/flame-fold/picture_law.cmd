# Folded, drawn and folded again is folded, for each recording and text.
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
	flame-graph -q -f html "$input" > x.html 2> /dev/null
	flame-fold -q x.html > 2
	cmp 1 2 || echo "$input: html"
	# Names with bytes that are no text are not XML's.
	iconv -f utf-8 -t utf-8 1 > /dev/null 2>&1 || continue
	flame-graph -q -f svg --minwidth 0.000001 "$input" > x.svg 2> /dev/null
	flame-fold -q x.svg > 2
	cmp 1 2 || echo "$input: svg"
	n=$((n + 1))
done
[ "$n" -gt 10 ] || echo "only $n"
