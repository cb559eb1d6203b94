# Of a large file, mostly comments, no times are kept: it is said.
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
flame-graph -f html --no-time large.perf | cmp - x.html
head -c 1000 large.perf | flame-graph -q -f html > small.html
[ $(wc -c < small.html) -gt $(wc -c < x.html) ] && echo larger
rm large.perf
