# An event log is a report; what awk makes of the log stands beside it.
log=data/spark-events/two_stages.eventlog
flame-batch --spark-events $log -o site
echo "status $?"
find site | sort
cat site/data/summary.md
grep -o '<h1>.*span>' site/index.html
grep -o 'not recorded[^<]*' site/index.html
# Seconds of tasks in each stage, from launch to finish.
awk -F'"Stage ID":|"Launch Time":|"Finish Time":' '/SparkListenerTaskEnd/ {
	t[$2 + 0] += $4 - $3 } END { for (s in t) print s, t[s] / 1000 }' $log | sort
grep -o '"stage":"[^{]*"cost":[0-9.]*' site/data/summary.json
# Three applications, one of them with twice the time, one without a name.
mkdir logs
for n in 1 2 3
do
	sed "s/app-20231114221320-0000/app-$n/; s/two stages/job <$n>/" $log >logs/app-$n
done
sed -i 's/"Total Cores":2/"Total Cores":20/' logs/app-2
sed -i 's/job <3>//' logs/app-3
flame-batch --spark-events logs -o several
grep -o '<tr><td><a href="#app-.*' several/index.html
grep -o 'id="app-.">' several/index.html
grep '^# ' several/data/summary.md
# Recordings that cannot be read, and one beside them that can.
echo nothing >1.jfr
flame-batch --spark-events $log -o unread 1.jfr gone.jfr
echo "status $?"
sed -n 5p unread/data/summary.md
echo 'a;b 3' >2.folded
flame-batch -q --spark-events $log -o read 1.jfr 2.folded
echo "status $?"
sed -n 5p read/data/summary.md
# Without a log, nothing is left of the bill.
flame-batch -q -o read 2.folded
find read -name 'summary*'
# The cores of the executors in a comparison.
for n in 1 2
do
	flame-batch -q --spark-events logs/app-$n -o site-$n
	awk -F'"Total Cores":' '/ExecutorAdded/ { n += $2 } END { print n }' logs/app-$n
done
flame-diff site-1 site-2 | grep '^cores'
# A rolled log without its first part, and one of Kubernetes: the application is
# in the file's name, its start is not known; of another name nothing is.
mkdir -p eventlog_v2_app-20231114221320-0000 k8s
grep -v 'LogStart\|Environment\|ApplicationStart\|ExecutorAdded' $log >rest
cp rest eventlog_v2_app-20231114221320-0000/events_2_app-20231114221320-0000
cp rest k8s/spark-0a1b2c3d4e5f60718293a4b5c6d7e8f9.inprogress
for part in eventlog_v2_* k8s rest
do
	flame-batch -q --spark-events $part -o part
	sed -n '1,4p' part/data/summary.md
	grep -o '<h1>.*</h1>' part/index.html
done
# Nothing to report: no site.
flame-batch --spark-events 1.jfr -o none
echo "status $?"
flame-batch --spark-events gone -o none
echo "status $?"
flame-batch --engine spark --spark-events $log -o none
echo "status $?"
test ! -e none && echo "no site"
