jfr2flame -q --wall --by state --depth 1 -o collapsed data/jfr/spark-cpu-wall.jfr
jfr2flame -q --by file --depth 1 -o collapsed data/jfr/spark-trace.jfr data/jfr/jdk17-profile.jfr.gz
jfr2flame -q --by=thread --depth 1 -o collapsed data/jfr/spark-trace.jfr
