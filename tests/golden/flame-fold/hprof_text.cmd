flame-fold $DATA/hprof/samples.txt 2>&1
flame-fold -q --lines $DATA/hprof/samples.txt
flame-fold --threads --event cpu-time $DATA/hprof/times.txt 2>&1
flame-fold --threads --event lock $DATA/hprof/times.txt 2>&1
flame-fold $DATA/hprof/sites.txt 2>&1
flame-fold --event allocations $DATA/hprof/sites.txt 2>&1
flame-fold --event live $DATA/hprof/sites.txt 2>&1
head -n -2 $DATA/hprof/samples.txt | flame-fold 2>&1
sed /300101:/,/TRACE/d $DATA/hprof/samples.txt | flame-fold 2>&1 || echo $?
