jfr2flame data/jfr/spark-lock.jfr out.pb.gz
jfr2flame -q data/jfr/spark-lock.jfr quiet.pb.gz
jfr2flame -f pprof data/jfr/spark-lock.jfr named.pb.gz
cmp out.pb.gz quiet.pb.gz && cmp out.pb.gz named.pb.gz
