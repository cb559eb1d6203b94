flame-fold --event list $DATA/firefox/allocations.json
flame-fold --threads --event alloc $DATA/firefox/allocations.json 2>&1
flame-fold --event time --lines $DATA/firefox/allocations.json
