head -n 22 $DATA/gdb/apply.txt | flame-fold | wc -l
head -n 10 $DATA/gdb/apply.txt | flame-fold
echo "exit status $?"
