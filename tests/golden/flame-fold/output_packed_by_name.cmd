f=data/jfr/spark-lock.jfr
flame-fold -q $f >plain
for name in x.folded.gz x.folded.zst x.gz; do
	flame-fold -q -j 2 -o $name $f
	flame-fold -q $name | cmp - plain
done
gzip -dc x.folded.gz | cmp - plain
flame-merge -o merged.gz x.folded.gz x.folded.zst
flame-top -f tsv -o top.tsv.gz merged.gz
gzip -dc top.tsv.gz | head -n 2
flame-graph -q -o x.svg.gz plain
flame-graph -q -o x.svgz plain
cmp x.svg.gz x.svgz
gzip -dc x.svgz | head -c 5; echo
flame-fold -q -o x.pb.gz $f
gzip -dc x.pb.gz | head -c 1 | od -An -tx1
jfr2flame -q $f x.html.gz
gzip -dc x.html.gz | head -n 1
ln -s /dev/full full.folded.gz
flame-fold -q -o full.folded.gz $f; echo $?
flame-fold -q -o x.folded.xz $f; echo $?
test -e x.folded.xz || echo none
