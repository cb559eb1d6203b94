# What the driver does while the job waits for it, where it was recorded, too.
cp data/jfr-text/*.types data/jfr-text/ap.kinds .
mkdir app-20231114221320-0001
driver=org.apache.spark.deploy.SparkSubmit
sed "s/org.apache.spark.executor.*id 0\"/$driver --class job.Main job.jar\"/
	s|org/apache/spark/executor/Executor.TaskRunner|job/Main|
	s/WallClockSample 8000000000 2 1 2 3/WallClockSample 9500000000 2 4 1 3/
	s/WallClockSample 500000000 2 1 2 3/WallClockSample 500000000 2 3 1 1/" \
	data/spark-events/plan.mkjfr >driver.mkjfr
mkjfr driver.mkjfr >app-20231114221320-0001/profile-driver.jfr
flame-batch -q -o site --spark-events data/spark-events/plan.eventlog \
	app-20231114221320-0001
grep -o '"key":"[a-z]*"[^}]*"wall_us"[^}]*' site/data/*.bill.json
grep -o '<li>.*its stacks in [^<]*' site/index.html | sed 's/<[^>]*>/ /g'
# On twenty cores an executor, what they cost meanwhile is worth a sentence;
# without the recording it says what to record.
sed 's/"Total Cores":1/"Total Cores":20/' data/spark-events/plan.eventlog >log
flame-batch -q -o large --spark-events log app-20231114221320-0001
flame-batch -q -o alone --spark-events log
grep -h -A 1 'Only the driver' large/data/summary.md alone/data/summary.md
