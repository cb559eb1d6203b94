# 12 lines of 10 ms: the times of summaryRprof() in R.
flame-fold $DATA/rprof/plain.out
sed 1d $DATA/rprof/plain.out | awk '{ print $1 }' | sort | uniq -c
flame-fold --lines $DATA/rprof/all.out
flame-fold --lines -f ndjson $DATA/rprof/all.out | head -n 1
flame-fold --lines $DATA/rprof/odd.out 2>&1
