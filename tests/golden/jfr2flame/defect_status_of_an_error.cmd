# 2, and one line; not a stack trace.
jfr2flame --from 5s.5 data/jfr/spark-lock.jfr out.html
