# A picture that is not written is not an input: no page goes to a pipe.
jfr2flame data/jfr/spark-lock.jfr out.png | wc -c
jfr2flame data/jfr/spark-lock.jfr out.pdf | wc -c
jfr2flame -q data/jfr/spark-lock.jfr | grep -c '</html>'
