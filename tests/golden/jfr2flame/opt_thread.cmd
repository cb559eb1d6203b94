jfr2flame -q --thread 'Compiler' -t --depth 1 -o collapsed data/jfr/spark-trace.jfr
jfr2flame -q --thread '^C1' --thread 'stage 191' -t --depth 1 -o collapsed data/jfr/spark-trace.jfr
