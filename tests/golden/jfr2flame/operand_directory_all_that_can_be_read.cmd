# One that cannot be read is reported, and does not stop those after it.
: >empty.jfr
echo no profile >text.jfr
mkdir out
jfr2flame -q empty.jfr data/jfr/spark-lock.jfr text.jfr \
	data/jfr/spark-trace.jfr out
status=$?
ls out
exit $status
