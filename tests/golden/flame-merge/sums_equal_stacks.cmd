printf 'a;b 1\nc 2\n' >one
printf 'a;b 3\nb 4\n' >two
printf '' >three
flame-merge one two three
