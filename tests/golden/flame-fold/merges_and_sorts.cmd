printf 'b;c 1\na 2\n' >one
printf 'b;c 4\na;x 8\na-b 16\n' >two
flame-fold one two
