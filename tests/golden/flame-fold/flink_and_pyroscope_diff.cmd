flame-fold $DATA/d3/flink.json
flame-fold $DATA/flamebearer/double.json 2>&1
flame-fold --column 1 $DATA/flamebearer/double.json 2>&1
flame-graph -f text $DATA/flamebearer/double.json 2>&1
sed 's/,9,9,2,0,0/,9,9,2,0/' $DATA/flamebearer/double.json | flame-fold 2>&1 || echo $?
