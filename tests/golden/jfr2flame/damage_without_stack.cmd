# Samples without a stack are reported for the metrics that were asked for.
head -c 100000 data/jfr/spark-multichunk.jfr >in.jfr
jfr2flame --wall -o collapsed in.jfr - >out
jfr2flame --cpu --thread Thread -o collapsed in.jfr - >out
jfr2flame --cpu -j 4 -o collapsed in.jfr - >out
