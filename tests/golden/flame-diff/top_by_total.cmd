printf 'main;a 5\nmain;b 10\nmain;gone 2\n' >before
printf 'main;a 8\nmain;b 10\nmain;new 1\n' >after
flame-diff --top=2 --sort total before after
