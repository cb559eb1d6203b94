printf 'b 1\na 2\r\n\n# note\nb 4' | flame-fold
