# perf prints an empty line after each stack: without it the root may lack.
printf 'a 1 [0] 1.5: 1 cycles: \n\t 1000 f (/x)\n\t 2000 g (/x)\n\n' >one
{
	cat one
	printf 'a 1 [0] 1.6: 1 cycles: \n\t 1000 f (/x)\n'
} | flame-fold
# A header that is cut: cyc is not an event.
{
	printf 'a 1 [0] 1.5: 1 cycles:  1000 f (/x)\n'
	printf 'a 1 [0] 1.6: 1 cyc'
} | flame-fold
