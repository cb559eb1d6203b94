# The second, unless told; a last frame that ends in a number is no count.
printf 'a;b 1 2\na;c 3 5\n' >diff
flame-fold diff
flame-fold --column 1 diff
flame-fold --column none diff
printf 'main;Thread 5 7\nmain;Thread 6 3\n' | flame-fold
