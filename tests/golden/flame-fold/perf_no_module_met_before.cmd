# A line without a module is a frame where no frame before it has one, and none
# below frames with modules, though it was met before.
flame-fold -i perf <<'END'
sh 1/1 1.0: 1 cycles: 
	1004 f3

sh 1/1 1.1: 1 cycles: 
	1004 f3

sh 1/1 1.2: 1 cycles: 
	1004 f3

sh 1/1 1.3: 1 cycles: 
	1005 top+0x1 (/bin/a)
	1004 f3

END
