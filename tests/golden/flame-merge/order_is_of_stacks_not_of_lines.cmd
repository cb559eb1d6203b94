printf 'f 5\nf (inlined) 3\nf-x 1\nf;g 1\n' >one
flame-merge one one
