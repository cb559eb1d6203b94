# Bidi marks, C1 controls, characters of width 0, bytes that are not
# UTF-8, and
# names that a spreadsheet would read as formulas.
printf 'a;\342\200\256x;\302\233q;=1+1 3\na;b\001;-2 4\n' >in
printf 'a;\377\342\200\213z 5\na;@SUM 1\na;+x 1\na;\tx 1\n' >>in
flame-top -f text in
flame-top -f tsv in
flame-graph -f text in
flame-graph -f text --tree in
flame-diff --top in in
flame-fold in | grep -c "$(printf "\342\200\256")"
printf 'x\n' >"$(printf 'a\342\200\256b')"
flame-fold "$(printf 'a\342\200\256b')" 2>&1 | cut -c 1-40
