flame-fold $DATA/memray-csv/allocations.txt 2>&1
flame-fold -q --event allocations --lines $DATA/memray-csv/allocations.txt
awk -F, 'NR > 1 { n += $2; size += $3 } END { print size, n, "in the file" }' $DATA/memray-csv/allocations.txt
for event in alloc allocations; do
	flame-fold -q --event $event $DATA/memray-csv/allocations.txt |
		awk '{ n += $NF } END { print n, "read" }'
done
flame-fold --threads $DATA/memray-csv/odd.txt 2>&1
