# Each that cannot be read is reported in its turn, however many threads read.
echo no profile >text
: >empty
for j in 1 2 5
do
	jfr2flame -q --collapsed -j $j text data/jfr/spark-lock.jfr empty text \
		data/jfr/spark-trace.jfr empty -o - 2>&1 >stacks$j |
		cut -c 1-60
	cksum <stacks$j
done
