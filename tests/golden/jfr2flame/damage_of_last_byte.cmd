# A recording that lacks its last byte has all that its names are there for.
head -c -1 data/jfr/spark-cpu-wall.jfr >in.jfr
jfr2flame --wall -o collapsed in.jfr >cut
jfr2flame --wall -o collapsed data/jfr/spark-cpu-wall.jfr >whole
cmp cut whole
