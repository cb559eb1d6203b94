printf 'a;b 31.23\na;c 6.1\na 0.67\na;d 1e3\n' | flame-fold
