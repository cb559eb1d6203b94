jfr2flame -q --info data/jfr/spark-multichunk.jfr |
	grep -E '^ +(chunks|version|start|duration|recording|pid) '
