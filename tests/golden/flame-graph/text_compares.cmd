# Of two profiles: as wide as after, with what has changed.
printf 'a;b 3\na;c 5\nold 1\n' >one
printf 'a;b 6\na;c 1\nd 2\n' >two
flame-diff -f text one two
flame-diff -f text --tree one two
