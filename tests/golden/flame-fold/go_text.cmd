flame-fold $DATA/goroutine/panic.txt 2>&1
flame-fold --lines --state runnable --threads $DATA/goroutine/panic.txt 2>&1
while read -r file event
do
	flame-fold --event $event $DATA/pprof-text/$file.txt 2>&1
done <<'LIST'
heap inuse_space
heap alloc_objects
goroutine goroutine
mutex contentions
mutex delay
growth space
java inuse_objects
LIST
flame-fold -q --lines --event alloc_objects $DATA/pprof-text/heap.txt
flame-fold $DATA/pprof-text/heap.txt 2>&1
