# Of main, a, b, c the first one is shown; d, which calls two, stays.
printf '%s\n' 'main;a;b;c;d;x 40' 'main;a;b;c;d;y 57' 'main;a;b 3' > in
flame-top --sort total in
flame-top --sort total --no-fold-trunk in
flame-top --sort total -f tsv in
# Names that stand elsewhere, too, are shown.
printf 'other;b 10\n' >> in
flame-top --sort total -N 3 in
