# What the page has is what the table has.
flame-fold --event list $DATA/memray/page.html
for event in alloc allocations; do
	flame-fold --event $event $DATA/memray/same.csv > table
	flame-fold --event $event $DATA/memray/page.html | cmp - table
done
flame-fold --event alloc $DATA/memray/page.html | tail -n 3
flame-fold $DATA/memray/temporal.html 2>&1 || echo $?
flame-fold --event alloc $DATA/memray/odd.txt 2>&1
head -c 3000 $DATA/memray/page.html | flame-fold 2>&1 || echo $?
