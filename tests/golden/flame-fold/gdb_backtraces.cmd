for file in apply full pstack
do
	flame-fold $DATA/gdb/$file.txt >$file.folded
done
cat apply.folded
cmp apply.folded full.folded
cmp apply.folded pstack.folded
flame-fold --threads $DATA/gdb/talk.txt
cat $DATA/gdb/apply.txt $DATA/gdb/apply.txt | flame-fold --event threads | awk '{ n += $NF } END { print n }'
flame-fold --srcline --keep outer $DATA/gdb/apply.txt | tr ';' '\n' | tail -n 3
flame-fold --threads $DATA/gdb/bare.txt 2>&1
flame-fold --srcline --keep run $DATA/gdb/bare.txt
