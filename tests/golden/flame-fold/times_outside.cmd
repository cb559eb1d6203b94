flame-fold --from 1h $DATA/perf/frames.txt
flame-fold --to 2020-01-01 $DATA/jfr/spark-lock.jfr
echo 'a;b 1' | flame-fold --from 1s
flame-fold -q --from 1.000001 --to 100% $DATA/perf/frames.txt | awk '{ n += $NF } END { print n }'
flame-fold -q $DATA/perf/frames.txt | awk '{ n += $NF } END { print n }'
