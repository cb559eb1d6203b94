jfr2flame -q --cpu --collapsed --fetch 'cat {}' data/jfr/spark-trace.jfr |
	tail -n 1
