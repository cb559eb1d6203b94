flame-fold --event instructions $DATA/callgrind/calls.txt 2>&1
flame-fold -q --event Dr $DATA/callgrind/calls.txt
flame-fold -q --event time $DATA/callgrind/xdebug.txt
flame-fold --event alloc $DATA/heaptrack/heap.txt 2>&1
flame-fold -q --event allocations $DATA/heaptrack/heap.txt
flame-fold -q --event leaked $DATA/heaptrack/heap.txt
flame-fold --event alloc $DATA/heaptrack/first.txt
flame-fold --event alloc $DATA/dhat/heap.json 2>&1
flame-fold -q --event peak $DATA/dhat/heap.json
flame-fold -q $DATA/callgrind/ruby.txt
