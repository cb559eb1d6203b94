printf 'main;a;b 5\nmain;a 3\nmain;c;a;b;a 2\nmain 1\nz;b 4\n' >in
flame-top -f json in
flame-top -f json --tree --min 5 in
