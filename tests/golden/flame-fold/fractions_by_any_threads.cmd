# Counts that are not whole, here and there in what several threads read: they
# are reported once, and what rounding removes from one is added to the next.
awk 'BEGIN { for (i = 0; i < 800000; i++)
	print i % 50000 == 7 ? "a;c 1.4" : "a;b" i % 9 " 1" }' >in
flame-fold -j 1 in >one
flame-fold -j 4 in | cmp - one
cat one
