# JFR has its duration; that of perf's text is from the samples.
for s in 1 2 4 6 8; do
	printf 'x 1 %s.5: 1 cycles:\n\t1000 %s (/bin/x)\n\n' $s f$((s / 8))
done >long
head -n 9 long >short
flame-diff --normalize=time short long
flame-diff --normalize=time -f text --width 60 short long
flame-diff --normalize=time -f text --width 60 --to 3s long long
flame-diff --normalize=time --widths max -f svg short long |
	grep -o 'before ×[^)]*\|<title>[^<]*'
jfr=data/jfr/spark-multichunk.jfr
flame-diff -q --normalize=time $jfr $jfr && echo same
flame-fold --info $jfr | grep duration
flame-diff -f text --normalize=time --from 2s --to 4s $jfr $jfr | head -n 1
flame-graph -f html -o x.html $jfr && flame-diff -f text --empty ok \
	--normalize=time x.html long | head -n 1 | grep -o 'it was[^,]*, after[^,]*'
