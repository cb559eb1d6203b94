for file in $DATA/cpuprofile/*.json $DATA/heapprofile/*.json; do flame-fold "$file"; done
flame-fold --total --lines $DATA/cpuprofile/node.cpuprofile.json
flame-fold --lines $DATA/heapprofile/node.heapprofile.json
flame-fold --event list $DATA/cpuprofile/*.json
