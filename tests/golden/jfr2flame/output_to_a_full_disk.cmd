if [ ! -w /dev/full ]
then
	echo 'jfr2flame: /dev/full: No space left on device' >&2
	exit 2
fi
jfr2flame -q -o html data/jfr/spark-lock.jfr 2>said >/dev/full
echo $?
sed 's/standard output/-/' said
exec flame-fold -q -o /dev/full data/jfr/spark-lock.jfr
