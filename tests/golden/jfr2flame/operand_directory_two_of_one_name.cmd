mkdir -p one/d two/d out
cp data/jfr/spark-lock.jfr one/x.jfr
cp data/jfr/spark-lock.jfr two/x.jfr
cp data/jfr/spark-lock.jfr one/d/y.jfr
cp data/jfr/spark-lock.jfr two/d/y.jfr
gzip -c one/x.jfr >one/x.jfr.gz
jfr2flame -q one/x.jfr two/x.jfr data/jfr/spark-trace.jfr one/d/y.jfr \
	two/d/y.jfr one/x.jfr.gz out
status=$?
ls out
exit $status
