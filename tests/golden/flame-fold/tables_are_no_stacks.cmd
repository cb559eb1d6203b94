# Rows with numbers, or with as many fields each and no root; counts with units.
printf 'id;name;value\n1;foo;2,5\n2;bar;3,5\n' >table
printf 'name;city;note\nAnna;Berlin;x\nBert;Bonn;y\n' >words
printf 'a;b 12ms\na;c 3ms\n' >units
printf 'Took,Self,,Symbol Name\n100ms,0, , f\n' >unknown.csv
for f in table words units; do
	flame-fold $f 2>&1 | cut -c 1-72
done
flame-fold -i tree unknown.csv 2>&1
# A root shows that these are stacks, and a title is not a table.
printf 'main;a;x\nmain;b;y\nio;c;z\n' | flame-fold 2>&1
printf 'Call tree, of main\nmain 10 ms\n  f 7 ms\n' | flame-fold -q -i tree
printf '"level","value","self","label"\n0,10,0,total\n1,10,3,main\n2,7,7,leaf\n' |
	flame-fold -i tree
