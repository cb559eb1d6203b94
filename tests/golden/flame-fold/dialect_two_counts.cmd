# The second, unless --column says; a last frame with a number is not a count.
printf 'a;b 1 2\na;c 3 5\n' >diff
flame-fold diff
flame-fold --column 1 diff
flame-fold --column none diff
printf 'main;Thread 5 7\nmain;Thread 6 3\n' | flame-fold
