jfr2flame -h >short && jfr2flame --help >long && cmp short long
head -n 1 short
grep -c '^   *-' short | awk '{ print ($1 > 50) }'
awk 'length > 80' short
