printf '%s\n' '# austin: 3.7.0' '# interval: 100' '# mode: full' '' \
	'P1;T0:2;a.py:f:3 10,0,4096' 'P1;T0:2 20,1,0' \
	'P1;T0:3;a.py:f:3;a.py:g:4 5,1,-96' '# duration: 35' >a
flame-fold --event list a
flame-fold a
flame-fold -q --event wall --thread T0:2 a
flame-fold -q --event memory-free --by pid a
