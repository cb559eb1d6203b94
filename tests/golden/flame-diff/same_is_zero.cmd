flame-diff -q data/jfr/spark-lock.jfr data/jfr/spark-lock.jfr &&
	flame-diff -q --top=0 data/jfr/spark-lock.jfr data/jfr/spark-lock.jfr
