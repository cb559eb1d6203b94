printf 'main;a 50\nmain;b 100\nmain;gone;far 200\nmain;b;c 7\n' >before
printf 'main;a 80\nmain;b 101\nmain;new 100\nmain;b;c 9\n' >after
flame-diff before after >both
flame-diff -o 1.svg before after && flame-graph <both | cmp - 1.svg
flame-diff -o 1.html before after && flame-graph -f html <both | cmp - 1.html
flame-graph -q --column 1 both | grep -c 'gone (200 samples'
flame-graph -q -f folded both
flame-graph -q --flamechart both | grep -c '<rect class'
flame-graph -q --keep gone -f text both | tail -n 2
