# Totals, names, the heaviest frames that fit, and what was left out.
printf 'main;a;b;c 500\nmain;a;b;c;d_[j] 300\nmain;e 150\nx 50\n' >in
flame-graph -f text --budget 1k --title Shop in
# Of a comparison: the total after, and its change.
printf 'main;a;b;c 700\nmain;e 100\ny 50\n' >after
flame-diff -f text --budget 1k in after
# Never more, and the same lines first whatever the budget.
i=0
while [ $i -lt 400 ]; do
	echo "main;f$((i % 7));g$((i % 31));a_long_name_of_a_function_$i $i"
	i=$((i + 1))
done >many
for n in 1024 2000 4k 64k; do
	flame-graph -f text --budget $n many >out
	wc -c <out
	sed -n '$p' out
done
# Names are cut, and sizes checked.
printf 'main;%0300d 3\n' 7 | flame-graph -f text --budget 2k
flame-graph -f text --budget 1000 in 2>&1
flame-graph -f text --budget many in 2>&1
flame-fold --budget 4k in 2>&1
