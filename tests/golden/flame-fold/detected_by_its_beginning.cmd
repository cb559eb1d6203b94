# What a text is does not depend on how much of it comes at once.
awk 'BEGIN {
	for (i = 1; i <= 15; i++) {
		for (j = 1; j <= 200; j++)
			printf "f%04d_%d;", j, i
		print "leaf 1"
	}
}' >in
printf 'main;a\0b 1\n' >>in
flame-fold in | cksum
cat in | flame-fold | cksum
(head -c 100 in; sleep 0.1; tail -c +101 in) | flame-fold -j 2 | cksum
