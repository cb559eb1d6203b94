# A page says of its input what the input says.
jfr2flame -q -o page.html data/jfr/spark-cpu-wall.jfr
flame-fold --info data/jfr/spark-cpu-wall.jfr | grep '^  ' |
	grep -v '^  event' >input
flame-fold --info page.html | grep '^  ' | grep -v '^  title' >page
cmp input page && grep -c . page
