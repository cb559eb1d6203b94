# Tabs of one page; to the sample what each event is alone.
jfr2flame --events all data/jfr/spark-lock.jfr page.html
jfr2flame --event list page.html
for event in lock nativelock
do
	flame-fold -q --no-tiers --event $event page.html >page
	flame-fold -q --no-tiers --event $event data/jfr/spark-lock.jfr |
		cmp - page
done
jfr2flame --events lock,nativelock -o svg data/jfr/spark-lock.jfr
