# Memory is flat: equal stacks that do not adjoin are reported, not joined.
exec 2>&1
printf 'a;b 1\na;c 1\na;b 2\nA 1\na;c 3\n' >in
flame-merge --stream in
flame-merge -q --stream in | cksum
LC_ALL=C sort in | flame-merge --stream
echo 'stacks of several inputs'
flame-merge --stream in in
echo 'a million of unlike stacks: nothing to say'
seq 1000000 | sed 's/$/;f 1/' | flame-merge --stream | wc -l
