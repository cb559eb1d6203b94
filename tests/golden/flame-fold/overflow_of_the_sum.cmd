printf 'a 9223372036854775807\nb 1\n' | flame-fold
