# With the viewer, the profile, its times and a picture for where no script runs.
jfr2flame -q data/jfr/spark-cpu-wall.jfr page.html
[ "$(wc -c < page.html)" -le 110000 ] && echo 'fits 110 kB'
