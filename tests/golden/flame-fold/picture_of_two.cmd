# Of a comparison the second profile is read.
printf '%s\n' 'a;b 9' 'a;c 1' > before
printf '%s\n' 'a;b 8' 'a;d 3' > after
flame-diff -o x.svg before after
flame-diff -o x.html before after
flame-fold x.svg
flame-fold x.html
