flame-fold $DATA/lldb/all.txt
flame-fold --threads $DATA/lldb/macos.txt
flame-fold --lines $DATA/lldb/all.txt | grep -c 'loop.cpp\|:41'
cat $DATA/lldb/all.txt $DATA/lldb/macos.txt | flame-fold -f folded | awk '{ n += $NF } END { print n }'
flame-fold --srcline --keep wait $DATA/lldb/all.txt | tr ';' '\n' | tail -n 2
