# Wide letters fill two columns; what a terminal would obey is not sent to
# it, and what is not UTF-8 is a question mark.
printf 'a\033]0;x\007b;\346\274\242\345\255\227 3\nbad\377\302\233m 2\n' |
flame-graph -f text --width 40
printf 'a\377b 1\n' | flame-graph -f text --tree
