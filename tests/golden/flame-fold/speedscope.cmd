for file in $DATA/speedscope/*.json; do flame-fold --event list "$file"; done
flame-fold $DATA/speedscope/sampled.speedscope.json
flame-fold --total --by thread $DATA/speedscope/sampled.speedscope.json
flame-fold --lines $DATA/speedscope/evented.speedscope.json
flame-fold --event bytes $DATA/speedscope/weights.speedscope.json
cat $DATA/speedscope/*.json | flame-fold --event list
head -c 420 $DATA/speedscope/sampled.speedscope.json | flame-fold 2>&1
printf '{"a":{"b":[1,2,3]}}' | flame-fold 2>&1 || echo $?
