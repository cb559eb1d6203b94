printf 'a;b\na;b\na;c\n' | flame-fold
