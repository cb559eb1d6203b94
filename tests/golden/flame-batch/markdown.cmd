# Names of an event log are text in summary.md, neither markup nor HTML.
cp data/jfr-text/*.types data/jfr-text/ap.kinds .
mkdir in
sed "s/executor-id N/executor-id 1/; s/NAME/task 1/g" \
	data/spark-events/executor.mkjfr >1.txt
mkjfr 1.txt >in/1.jfr
evil='<img src=x onerror=alert(1)>`b`[l](javascript:2)|*_'
sed "s#\"Stage Name\":\"#&${evil}#; s#\"App Name\":\"#&${evil}#
     s#\"Spark Version\":\"#&${evil}#; s#\"description\":\"#&${evil}#
     s#\"Host\":\"#&${evil}#" data/spark-events/two_stages.eventlog >log
flame-batch -q --spark-events log -o site in
cat site/data/summary.md
grep -c '<' site/data/summary.md || true
