# Points of InfluxDB at 0, 10 and 20 s, not in order, of a and b.
{
	echo 'cpu.trace.main-1.x-a-2 value=1 1700000020000000000'
	echo 'cpu.trace.main-1.x-a-2 value=2 1700000000000000000'
	echo 'cpu.trace.main-1.x-b-2 value=4 1700000010000000000'
} >points
flame-fold -i statsd --from 5s points
flame-fold -i statsd --from 50% points
# Dumps of 02:59:00 and 03:00:10; in Berlin that hour does not exist.
for t in '2026-03-29 02:59:00 before' '2026-03-29 03:00:10 after'; do
	printf '%s\nFull thread dump OpenJDK (17):\n\n' "${t% *}"
	printf '"m" #1 prio=5 tid=0x1 nid=0x2 runnable\n'
	printf '\tat A.%s(A.java:1)\n\n' "${t##* }"
done >dumps
for zone in UTC Europe/Berlin America/New_York; do
	TZ=$zone flame-fold --from 2026-03-29T03:00:00 dumps
done
