printf 'main;a 50\nmain;b 100\nmain;gone;far 200\nmain;b;c 7\n' >before
printf 'main;a 80\nmain;b 101\nmain;new 100\nmain;b;c 9\n' >after
for options in '' '--widths before' '--widths max' '--delta total' '--noise 0'
do
	echo "$options:"
	flame-diff $options -o x.svg before after
	sed -n 's/.* width="\([0-9]*\)" height="1" fill="\(.*\)"><title>\(.*\) sam.*/\1 \2 \3/p
		s/.*more; hatched: \(.*\)<.*/\1/p' x.svg
	flame-fold -q x.svg >again
	flame-fold -q after | diff - again
done
exec 2>&1
flame-diff -f svg --widths wide before after
flame-diff -f svg --noise x before after
flame-diff --noise 3 before after >/dev/null
flame-graph --delta total before >/dev/null
flame-graph --total --noise 3 - <before >/dev/null
