flame-fold $DATA/hpl/log.hpl
flame-fold --threads $DATA/hpl/log.hpl
head -c 150 $DATA/hpl/log.hpl | flame-fold -i hpl - 2>&1
