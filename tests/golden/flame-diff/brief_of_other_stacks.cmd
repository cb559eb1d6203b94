printf 'a;b 1\n' >before
printf 'b;a 1\n' >after
flame-diff --brief before after
