printf 'a 9223372036854775807\n' >one
printf 'a 1\n' >two
flame-merge one two -o out
status=$?
[ ! -e out ] && echo "no output"
exit $status
