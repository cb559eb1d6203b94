flame-fold --threads $DATA/graal-sampler/tree.txt 2>&1
flame-fold $DATA/graal-sampler/histogram.txt 2>&1
head -n 11 $DATA/graal-sampler/tree.txt | head -c -70 | flame-fold 2>&1 || echo $?
