flame-fold $DATA/stap/backtraces.txt
flame-fold $DATA/ghc/shares.txt
flame-fold -q --total $DATA/ghc/ticks.txt
flame-fold -q --event alloc $DATA/ghc/ticks.txt
flame-fold --event inst_retired.any $DATA/pmcstat/graph.txt
flame-fold --event llc.misses $DATA/pmcstat/graph.txt
flame-fold $DATA/instruments/time.txt
flame-fold --event alloc $DATA/instruments/bytes.txt
flame-fold --event allocations $DATA/instruments/bytes.txt
flame-fold --event cycles $DATA/instruments/bytes.txt
flame-fold $DATA/vsprof/tree.txt
flame-fold $DATA/xdebug/trace.txt
flame-fold $DATA/xdebug/cut.txt 2>&1
sed 7q $DATA/xdebug/trace.txt | cat - $DATA/xdebug/trace.txt | flame-fold 2>&1
