flame-fold --threads $DATA/sample/threads.txt
flame-fold --compat inferno --no-modules $DATA/sample/threads.txt
head -n 26 $DATA/sample/threads.txt | flame-fold
