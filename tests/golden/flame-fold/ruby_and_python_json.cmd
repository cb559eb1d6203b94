for file in $DATA/flamebearer/*.json $DATA/pyinstrument/*.json; do flame-fold "$file"; done
flame-fold $DATA/stackprof/cpu.stackprof.json
flame-fold --total --lines $DATA/stackprof/cpu.stackprof.json
flame-fold $DATA/stackprof/edges.stackprof.json 2>&1 || echo $?
flame-fold --event list $DATA/pyinstrument/frames.json
