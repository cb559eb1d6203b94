printf 'what is this\n' | flame-merge
