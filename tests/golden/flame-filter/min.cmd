printf 'a;b;c 8\na;b;d 5\na;e 1\na 20\nf 2\n' >in
for min in 0 5 6 14 35 20% 3% 100%
do
	echo "# $min"
	flame-filter --min $min in
done
flame-filter --reverse --min 8 in
flame-filter --min 8 --root b in
