echo 'main;a 3' > in.folded
flame-graph -f html -o x.html --fontsize 11 in.folded
flame-graph -f html -o x.html --mine a in.folded
flame-graph --bgcolors 'red;}' in.folded; echo $?
flame-graph --colors mine in.folded; echo $?
flame-graph --mine '(' in.folded; echo $?
flame-graph --nameattr nowhere in.folded; echo $?
flame-graph --total=2 --no-javascript in.folded | grep -c '<rect class'
# Nothing is too narrow for 0 pixels.
printf 'wide 100000\nnarrow 1\n' | flame-graph --minwidth 0 | grep -c '<rect class'
