# Branches: where they come from, also after callindent's name; without an
# address there is no function, and that is reported.
{
	printf 'app 1 [1] 1.5:  1 branches:uH:  main    '
	printf '55d0c0de0a10 main+0x10 (/a) => 55d0c0de0b10 leaf+0x0 (/a)\n'
	printf 'app 1 [1] 1.6:  1 branches:uH:      leaf    '
	printf '55d0c0de0b20 leaf+0x10 (/a) => 55d0c0de0a15 main+0x15 (/a)\n'
} | flame-fold
printf 'app 1 [1] 1.5:  1 branches:uH:  main   => 55d0c0de0b10 leaf\n' |
	flame-fold
