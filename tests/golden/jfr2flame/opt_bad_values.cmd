set -f
for o in '--depth x' '--skip -1' '--from soon' '--keep (' '--partial maybe' \
	'--compat perf' '--latency never' '--by ,' '--grain 0' '--thread [' \
	'--root *' '--tail x' '--width none'
do
	echo 'a 1' | jfr2flame $o -o collapsed - || echo "$?"
done
exit 2
