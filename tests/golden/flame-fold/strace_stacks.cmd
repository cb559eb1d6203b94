flame-fold --threads $DATA/strace/threads.txt 2>&1
flame-fold $DATA/strace/file.txt 2>&1
flame-fold $DATA/strace/odd.txt 2>&1
for file in threads file; do
	awk '/^ > / { n += !p; p = 1; next } { p = 0 } END { print n, "stacks" }' $DATA/strace/$file.txt
	flame-fold -q $DATA/strace/$file.txt | awk '{ n += $NF } END { print n, "read" }'
done
