printf 'a;b 1\na;c 2\n' |
	jfr2flame --compat jfrconv -I b -I c -o collapsed
