flame-fold $DATA/bcc/profile.txt 2>&1
flame-fold --threads $DATA/bcc/offcputime.txt 2>&1
flame-fold $DATA/bcc/stackcount.txt 2>&1
flame-fold $DATA/bcc/memleak.txt 2>&1
flame-fold -q --event allocations $DATA/bcc/memleak.txt
head -n 10 $DATA/bcc/memleak.txt | flame-fold 2>&1 || echo $?
