# By the name and by the format, the same; read again it is the recording.
jfr2flame --lock $DATA/jfr/spark-lock.jfr out.pb.gz
jfr2flame --lock -o pprof $DATA/jfr/spark-lock.jfr | cmp - out.pb.gz
flame-fold --event list out.pb.gz
flame-fold -q out.pb.gz >again
flame-fold -q --event lock $DATA/jfr/spark-lock.jfr | cmp - again
jfr2flame --compat jfrconv --lock -o pprof $DATA/jfr/spark-lock.jfr |
	flame-fold --event list
