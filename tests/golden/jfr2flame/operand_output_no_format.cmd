# Not an output by its name, so an input, which is not there.
jfr2flame -q data/jfr/spark-lock.jfr out.pdf >page
echo $?
ls
exit 2
