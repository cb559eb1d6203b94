printf 'a 9223372036854775807\na 1\n' | flame-fold
