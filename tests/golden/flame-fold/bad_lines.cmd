printf 'a 1\nfoo\nb;c\nd 2\n' | flame-fold -i folded
