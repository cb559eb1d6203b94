# Whatever a part is packed with, it counts; in text it begins a line.
echo 'a;b 1' >plain.folded
echo 'a;c 2' | gzip >gzip.folded.gz
echo 'a;d 4' | xz >xz.folded.xz
echo 'a;e 8' | bzip2 >bzip2.folded.bz2
cat plain.folded gzip.folded.gz xz.folded.xz plain.folded plain.folded \
	bzip2.folded.bz2 gzip.folded.gz plain.folded >all
flame-fold all
gzip -c all | flame-fold
cat all all | flame-fold | flame-fold
