mkdir out
flame-fold -q --cpu 2>/dev/null; echo $?
flame-fold -q --event cpu --empty ok -o out data/jfr/spark-trace.jfr data/jfr/spark-lock.jfr
ls out
