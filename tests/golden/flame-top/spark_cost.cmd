# Costs are shown in core-seconds.
cp data/jfr-text/*.types data/jfr-text/ap.kinds data/spark-events/plan.mkjfr .
mkjfr plan.mkjfr >1.jfr
log=data/spark-events/plan.eventlog
flame-top -q --event cost --spark-events $log --by operator --sort total 1.jfr
flame-top -q --event cost --spark-events $log --by query --tree -f json 1.jfr
