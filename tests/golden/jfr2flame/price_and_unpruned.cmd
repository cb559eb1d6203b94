# Options of event logs and of other formats than JFR.
cp data/jfr-text/*.types data/jfr-text/ap.kinds data/spark-events/plan.mkjfr .
mkjfr plan.mkjfr >1.jfr
jfr2flame -q -o collapsed --event cost --price 3.6 \
	--spark-events data/spark-events/plan.eventlog 1.jfr |
	awk '{ n += $NF } END { print n }'
jfr2flame -q -o collapsed --event cost \
	--spark-events data/spark-events/plan.eventlog 1.jfr |
	awk '{ n += $NF } END { print n }'
jfr2flame -q -o collapsed data/pprof/drop.pb
jfr2flame -q -o collapsed --unpruned data/pprof/drop.pb
