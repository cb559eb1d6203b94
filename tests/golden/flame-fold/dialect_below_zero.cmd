printf 'a;b 3\na;c -4\n' | flame-fold
