flame-fold $DATA/v8-log/node.txt 2>&1
flame-fold $DATA/v8-log/old.txt 2>&1
