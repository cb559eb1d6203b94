printf 'a 1\nb\n' | flame-merge --partial fail
