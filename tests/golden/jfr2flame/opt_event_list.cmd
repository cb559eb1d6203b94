for f in spark-multichunk.jfr spark-alloc-live.jfr jdk25-inflight.jfr.gz
do
	jfr2flame -q --event list data/jfr/$f
done
