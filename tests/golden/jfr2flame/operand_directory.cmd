mkdir pages
jfr2flame -q data/jfr/spark-lock.jfr data/jfr/jdk17-profile.jfr.gz pages
jfr2flame -q --collapsed --cpu data/jfr/spark-trace.jfr pages/
ls pages
