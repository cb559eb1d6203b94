flame-top -q --total --event alloc -N 5 data/jfr/spark-alloc-live.jfr
