# Tasks of two stages run at once: a stack's codegen says which of them
# it is of, and stacks without one are divided.
cp data/jfr-text/*.types data/jfr-text/ap.kinds data/spark-events/plan.mkjfr .
mkjfr plan.mkjfr >1.jfr
flame-fold --event cost --by stage,operator --simple \
	--spark-events data/spark-events/two_cores.eventlog 1.jfr
