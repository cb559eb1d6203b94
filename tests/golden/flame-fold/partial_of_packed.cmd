# A check that does not hold is met when all is unpacked: nothing is lost, by
# whomever it is unpacked.
lines() {
	awk -v from="$1" -v to="$2" 'BEGIN { for (i = from; i < to; i++)
		printf "main;f%d;g%d;h%d 1\n", i % 7, i % 1009, i }'
}
for n in 0 100 6000
do
	for all in 9000 14000 17000 20000 40000
	do
		{ lines 0 $n | gzip -nc; lines $n $all | gzip -nc; } >in.gz
		size=$(wc -c <in.gz)
		printf '\377' | dd of=in.gz bs=1 conv=notrunc 2>/dev/null \
			seek=$((size - 6))
		for j in 1 2 3
		do
			flame-fold -j $j in.gz 2>/dev/null | wc -l
			flame-fold -j $j 2>/dev/null <in.gz | wc -l
		done | uniq -c | awk '{ print $2, $1 }'
	done
done
