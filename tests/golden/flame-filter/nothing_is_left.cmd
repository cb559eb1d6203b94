printf 'a 1\n' | flame-filter --keep x
