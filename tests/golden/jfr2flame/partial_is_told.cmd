jfr2flame --cpu --collapsed --partial fail data/jfr/spark-inflight.jfr >out
