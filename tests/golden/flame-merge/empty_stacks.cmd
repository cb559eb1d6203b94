printf ' 1\na 2\n' >one
flame-merge one one
