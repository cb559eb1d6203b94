# Samples at 1 kHz beside samples at 100 Hz, of runs of one length or not.
exec 2>&1
sampled() {
	awk -v n=$1 -v rate=$2 'BEGIN {
		for (i = 0; i <= n; i++)
			printf "x 1 %.4f: 1 cycles:\n\t1000 f%d (/bin/x)\n\n",
			       1 + i / rate, i % 2
	}'
}
sampled 1000 1000 >fast
sampled 200 100 >slow
sampled 100 100 >short
echo unlike
flame-diff --top=2 fast slow
flame-diff -f html -o x.html fast slow
echo alike, scaled, silent
flame-diff --top=1 slow short
flame-diff --top=1 -n fast slow
flame-diff --top=1 --normalize=time fast slow
flame-diff --top=1 --quiet fast slow
flame-diff -q fast slow || echo differ
echo without times
echo 'a 100' >a
echo 'a 300' >b
flame-diff a b
flame-diff a a
echo 'a 20' >few
echo 'a 99' >more
flame-diff few more
