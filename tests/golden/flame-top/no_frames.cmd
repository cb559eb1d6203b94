printf ' 3\na 1\n' | flame-top -i folded
