# Counts stay as they are; widths, colours and changes are of scaled ones.
printf 'main;a 50\nmain;b 100\nmain;gone 50\n' >before
printf 'main;a 200\nmain;b 100\nmain;new 300\n' >after
for options in '--normalize' '--normalize=none' '-n --widths max' \
	'-n --widths before --delta total'
do
	echo "$options:"
	flame-diff $options -o x.svg before after
	sed -n 's/.* width="\([0-9]*\)" height="1" fill="\(.*\)"><title>\(.*\))<.t.*/\1 \2 \3/p
		s/.*px" y=.*\(before × .*\)<.*/\1/p
		s/.*>\([0-9,]* -.*\)<.*/\1/p' x.svg
	grep -o '[a-z]* [+-][0-9]*</text>' x.svg
	flame-fold -q x.svg >again
	flame-fold -q after | diff - again
done
flame-diff -n -f text --width 60 before after
flame-diff -n -f text --width 60 --delta self --widths before before after
flame-diff -n -f text --tree before after
flame-diff -n before after
# Of two columns a line the same.
flame-diff before after >both
flame-diff -n -o 1.html before after
nameless() { sed 's/<title>.*//; s/<h1>.*//; /id="origins"/d' "$@"; }
flame-graph --normalize total -o 2.html both
nameless 1.html >1; nameless 2.html | cmp - 1
flame-graph --normalize total -f text --width 60 both
exec 2>&1
flame-diff --normalize=time -o none.svg before after || [ ! -e none.svg ]
flame-diff --normalize=time before after
flame-diff --normalize=size before after
flame-graph --normalize time -f html both
flame-graph --normalize total -f text after | tail -n 1
