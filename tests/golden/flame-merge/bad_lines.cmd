printf 'a 1\nb\nc 1.5\nd -1\ne 2\n' | flame-merge
