# A stack without anything is left out, and no other.
sed 's/"stacks": *\[/&[],/' data/scalene/stacks.json >first.json
flame-fold first.json | tail -n 2
flame-fold data/scalene/stacks.json | cmp - /dev/fd/3 3<<END
$(flame-fold -q first.json)
END
