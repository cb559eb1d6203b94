# Without a palette.map --cp begins one.
printf 'a;b 1\na;c 2\n' | flame-graph --cp --colors classic-hot -o one.svg
grep -c '<title>' one.svg
cat palette.map
