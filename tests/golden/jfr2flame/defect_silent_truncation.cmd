# It is reported, with a status of its own for those who ask.
head -c 100000 data/jfr/spark-multichunk.jfr >in.jfr
jfr2flame --cpu --collapsed in.jfr | awk '{ n += $NF } END { print (n > 60) }'
jfr2flame -q --cpu --collapsed in.jfr >out
echo $?
jfr2flame --cpu --collapsed --partial fail in.jfr >out
