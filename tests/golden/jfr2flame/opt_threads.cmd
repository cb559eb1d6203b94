jfr2flame -q --threads --depth 1 -o collapsed data/jfr/spark-trace.jfr
jfr2flame -q -t --depth 1 -o collapsed data/jfr/jdk17-profile.jfr.gz
