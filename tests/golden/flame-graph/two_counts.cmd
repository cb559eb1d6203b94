printf 'main;a 50\nmain;b 100\nmain;gone;far 200\nmain;b;c 7\n' >before
printf 'main;a 80\nmain;b 101\nmain;new 100\nmain;b;c 9\n' >after
flame-diff before after >both
# Only files have names to report.
nameless() {
	sed 's/<title>.*//; s/<h1>.*//; /id="\(origins\|title\)"/d' "$@"
}
flame-diff -o 1.svg before after && nameless 1.svg >1
flame-graph <both | nameless | cmp - 1
flame-diff -o 1.html before after && nameless 1.html >1
flame-graph -f html <both | nameless | cmp - 1
flame-graph -q --column 1 both | grep -c 'gone (200 samples'
flame-graph -q -f folded both
flame-graph -q --flamechart both | grep -c '<rect class'
flame-graph -q --keep gone -f text both | tail -n 2
