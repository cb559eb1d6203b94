# A stage of an executor, by Spark's event log; the recording is of no executor.
cp data/jfr-text/*.types data/jfr-text/ap.kinds .
sed 's/--executor-id N//' data/spark-events/executor.mkjfr >1.txt
mkjfr 1.txt >1.jfr
jfr2flame --spark-events data/spark-events/two_stages.eventlog --executor 1 \
	--label stage=1 -o collapsed 1.jfr
# Its path names the executor.
jfr2flame --label stage=1 --name profile-exec-1.jfr -o collapsed \
	--spark-events data/spark-events/two_stages.eventlog - <1.jfr
