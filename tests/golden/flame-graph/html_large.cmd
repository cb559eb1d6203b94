# Times are stored of a large file, too: it is mostly comments.
{
	for i in 1 2 3 4
	do
		printf 'exec-%d 7/%d %d.%06d: 1 cycles:\n\t1 f (x)\n\n' \
			$i $i $i 5
	done
	for i in $(seq 135)
	do
		printf '# '
		head -c 1000000 /dev/zero | tr '\0' x
		echo
	done
} > large.perf
flame-graph -f html large.perf > x.html
flame-fold -q --by tid x.html
flame-graph -f html --no-time large.perf > small.html
[ $(wc -c < x.html) -gt $(wc -c < small.html) ] && echo larger
rm large.perf
