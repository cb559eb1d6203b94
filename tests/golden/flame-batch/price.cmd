# Money in the report, beside what awk makes of the summary; another price draws
# no page again.
cp data/jfr-text/*.types data/jfr-text/ap.kinds .
mkdir in
for n in 1 2
do
	sed "s/executor-id N/executor-id $n/; s/NAME/task $n/g" \
		data/spark-events/executor.mkjfr >$n.txt
	mkjfr $n.txt >in/$n.jfr
done
cp data/spark-events/two_stages.eventlog log
flame-batch -q --price 0.05 --spark-events log -o site in
head -n 5 site/data/summary.md
grep -o '<p class="lead">.*' site/index.html
grep -o 'Price">[^<]*' site/index.html
grep -o '"cost":[0-9.]*' site/data/summary.json | awk -F: '
	{ sum += $2 } END { printf "%.6f\n", sum / 3600 * 0.05 }'
flame-batch --price 360000 --spark-events log -o site in 2>&1 | grep -o '[0-9]* of [0-9]* groups.*'
grep -o '<p class="lead">.*' site/index.html
grep -o '"price":[^,]*' site/data/summary.json
for wrong in 0 -1 1e7 0x1p3z ''
do
	flame-batch -q --price "$wrong" --spark-events log -o site in 2>&1
	echo $?
done
flame-batch --price 1 -o site in 2>&1
echo $?
