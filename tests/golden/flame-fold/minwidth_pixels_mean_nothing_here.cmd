printf 'a;b 1\na;c 99\n' | flame-fold --minwidth 50
printf 'a;b 1\na;c 99\n' | flame-fold --minwidth 2%
