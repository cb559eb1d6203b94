flame-fold $DATA/scalene/stacks.json
sed -n 's/.*"count": \([0-9]*\).*/\1/p' $DATA/scalene/stacks.json
flame-fold $DATA/scalene/old.json 2>&1
flame-fold $DATA/scalene/none.json 2>&1 || echo $?
