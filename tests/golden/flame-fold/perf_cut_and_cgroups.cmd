{
	printf 'a 1 [000] 1.000001:  10 cycles: \n\t            1000 f (/x)\n'
	printf ' /pods/one\n'
	printf 'a 1 [000] 1.000002:  10 cycles: \n\t            1000 f (/x)\n'
	printf ' /pods/two\n'
	printf 'a 1 [000] 1.000003:  10 cycles: \n\t            1000 f (/'
} >text
flame-fold --by cgroup text
flame-fold --partial fail text >/dev/null; echo $?
