printf 'b 1\na 2\n' >one
printf 'a 4\nc 8\n' >two
flame-merge --stream one two
