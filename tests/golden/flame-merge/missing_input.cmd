printf 'a 1\n' >one
flame-merge one two
