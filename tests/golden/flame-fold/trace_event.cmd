for file in $DATA/trace-event/*.json; do flame-fold "$file" 2>&1; done
flame-fold --by thread $DATA/trace-event/complete.json
flame-fold -q --total $DATA/trace-event/samples.json
cat $DATA/trace-event/[!b]*.json | flame-fold --event list 2>&1
head -c 700 $DATA/trace-event/py-spy.json | flame-fold 2>&1
