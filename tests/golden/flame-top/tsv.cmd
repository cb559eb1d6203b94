printf 'main;a;b 5\nmain;a 3\nmain;c;a;b;a 2\nmain 1\nz;b 4\n' >in
flame-top -f tsv in
flame-top -f tsv --tree --rows 3 in
