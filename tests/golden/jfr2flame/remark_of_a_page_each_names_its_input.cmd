# A page for each input: what is said of one names it.
mkdir pages
jfr2flame --lock data/jfr/spark-cpu-wall.jfr data/jfr/spark-lock.jfr pages 2>&1
echo $?
ls pages
