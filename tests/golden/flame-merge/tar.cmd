# The files of an archive do not come side by side.
printf 'a;b 1\n' >1.folded
printf 'a;b 4\nz 2\n' >2.folded
tar -cf one.tar 1.folded
tar -czf both.tar.gz 1.folded 2.folded
for archive in one.tar both.tar.gz; do
	flame-merge 2.folded $archive
	echo "status $?"
done
flame-merge --stream <both.tar.gz
echo "status $?"
tar --format=pax -cf - 1.folded | flame-merge --partial ok
echo "status $?"
flame-fold both.tar.gz
