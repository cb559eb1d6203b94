jfr2flame -h >short && jfr2flame --help >long && cmp short long
head -n 1 short
jfr2flame --help=all >all
grep -c '^   *-' all | awk '{ print ($1 > 50) }'
grep -c '^   *-' short | awk '{ print ($1 > 50) }'
awk 'length > 80' short all
