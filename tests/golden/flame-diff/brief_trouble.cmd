printf 'a;b 1\n' >before
flame-diff -q before nowhere
