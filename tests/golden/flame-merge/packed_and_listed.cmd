printf 'a 1\nb 2\n' | gzip >one
printf 'a 4\n' >two
printf 'one\ntwo\n' | flame-merge --paths-from -
