# Tables that our own tools wrote are not profiles; each is named.
exec 2>&1
printf 'a;b;c 1\na;b 2\n' >in
printf 'a;b;c 3\n' >other
flame-top in >top
flame-top --tree in >tree
flame-top --callers b in >callers
flame-diff --top=3 in other >diff
flame-graph -f text --tree in >text
for f in top tree callers diff text; do
	flame-fold $f || echo $?
done
