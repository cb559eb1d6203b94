for file in $DATA/threads/*.json; do flame-fold --by state "$file" 2>&1; done
flame-fold --lines --thread 'Executor task' $DATA/threads/spark-4.json
flame-fold --by thread $DATA/threads/py-spy.json
cat $DATA/threads/jdk-25.json $DATA/threads/jdk-27.json | flame-fold --event list
head -c 900 $DATA/threads/jdk-25.json | flame-fold 2>&1
