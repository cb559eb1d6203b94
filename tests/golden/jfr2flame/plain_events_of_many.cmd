# The events of plain_events.txt, forty times in a row: tables are worth it.
cp data/jfr-text/*.types data/jfr-text/*.kinds data/jfr-text/*.pools .
awk '/^event/ { event[n++] = $0; next }
	n { for (i = 0; i < 40 * n; i++) print event[i % n]; n = 0 }
	{ print }' data/jfr-text/plain_events.txt >many.txt
mkjfr many.txt >in.jfr
for event in cpu wall lock; do
	echo "$event"
	jfr2flame --event "$event" -o collapsed in.jfr -
done
