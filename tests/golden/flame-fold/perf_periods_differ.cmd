# sample EVENT PERIOD: a sample as perf prints it.
sample() { printf 'a 1 [000] %d.000001: %10d %s: \n\t            1000 f (/x)\n\n' $((n += 1)) $2 $1; }
# perf's ramp-up to the right period is not a difference; a tenth counts as
# such.
{
	for period in 1 1 5 90 2000; do sample cycles:u $period; done
	for i in $(seq 45); do sample cycles:u 500000; done
} >even
{
	for i in $(seq 10); do sample block:rq 4096; sample block:rq 600000; done
	for i in $(seq 10); do sample cycles 4096; sample cycles 390000; done
} >uneven
flame-fold even
flame-fold --event block:rq uneven
flame-fold -q --event block:rq uneven
flame-fold --event block:rq --weight period uneven
flame-fold --event cycles uneven
# The parts of a text are read together.
for i in $(seq 40000); do sample page-faults 10; done >long
for i in $(seq 40000); do sample page-faults 2000; done >>long
flame-fold -j 1 long
flame-fold -j 4 long
