printf 'a 1\nb 1\n' >one
printf 'c 1\nd 2\nb;x 3\n' >two
flame-merge one two -o out
status=$?
[ ! -e out ] && echo "no output"
exit $status
