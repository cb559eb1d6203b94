# A thread's frame comes once, also of formats that name threads besides.
printf '[main tid=1];a;b 3\n[main tid=1];c 2\n' >folded
for format in speedscope trace-event firefox pprof otlp
do
	flame-fold --threads -f $format -o written folded
	flame-fold --threads written
done
