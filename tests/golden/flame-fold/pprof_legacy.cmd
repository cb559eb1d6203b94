flame-fold --event samples $DATA/pprof-legacy/little64.prof 2>&1
flame-fold --event cpu $DATA/pprof-legacy/java-big32.prof
flame-fold $DATA/pprof-text/threads.txt 2>&1
