for form in text json hadoop
do
	jfr2flame -q --cpu --collapsed --report $form data/jfr/spark-trace.jfr \
		data/jfr/spark-inflight.jfr 2>&1 >out
done
