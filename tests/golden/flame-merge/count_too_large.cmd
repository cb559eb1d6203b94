printf 'a 1\nb 9223372036854775808\n' | flame-merge
