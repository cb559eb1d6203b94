# After -o a name is written to whatever it ends in, as after the inputs.
if [ ! -w /dev/full ]
then
	echo 'jfr2flame: /dev/full: No space left on device'
	echo 'jfr2flame: /dev/full: No space left on device'
	exit
fi
jfr2flame -q -o /dev/full data/jfr/spark-lock.jfr 2>&1
jfr2flame -q data/jfr/spark-lock.jfr /dev/full 2>&1
exit 0
