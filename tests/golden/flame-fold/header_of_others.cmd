# Different metrics or units are not added.
exec 2>&1
printf '# libflame folded 1; metric=cpu; unit=samples\na;b 3\n' >cpu
printf '# libflame folded 1; metric=wall; unit=ns\na;b 300\n' >wall
printf '# libflame folded 1; metric=cpu; unit=ns\na;b 500\n' >ns
try() {
	"$@"
	echo "status $?"
}
try flame-fold cpu wall
try flame-fold cpu ns
try flame-fold wall data/jfr/spark-trace.jfr
cat cpu wall | try flame-fold
(cat cpu; echo '# libflame folded 1; metric=cpu; unit=samples; key=app') |
	try flame-fold
echo '# libflame folded 2; metric=cpu' | try flame-fold
try flame-fold --event cpu cpu wall
