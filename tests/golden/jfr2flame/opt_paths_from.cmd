ls data/jfr/spark-trace.jfr data/jfr/spark-lock.jfr >list
jfr2flame -q --paths-from list --by file --depth 1 --cpu -o collapsed
jfr2flame -q --paths-from - --by file --depth 1 --cpu -o collapsed <list
