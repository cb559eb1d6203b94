printf 'main;a;b 5\nmain;a 3\nmain;c;a;b;a 2\nmain 1\nz;b 4\n' >in
flame-top --tree in
flame-top --tree --min 5 in
flame-top --tree --min 30% in
