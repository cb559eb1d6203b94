printf '0\ta;b 5\n6\ta;c 2\n' | flame-fold
printf 'a;b 5\t\na;c 2\t\n' | flame-fold
printf 'stage-11\ta;b\t5\nstage-12\ta;b\t2\n' | flame-fold --by key
