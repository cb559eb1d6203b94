flame-fold $DATA/asprof/both.txt 2>&1
flame-fold --total $DATA/asprof/*.txt 2>&1
flame-fold $DATA/asprof/tree.html 2>&1
