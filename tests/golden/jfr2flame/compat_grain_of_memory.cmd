# jfrconv rounds in the order of a table, where memory that is freed has a
# place, too, though it is drawn nowhere.
for options in '--grain 5' '--grain 3 --threads' '--grain 5 --total'
do
	jfr2flame -q --compat jfrconv --nativemem $options -o collapsed \
		data/jfr/spark-nativemem.jfr |
		awk '{ n += $NF } END { print NR, n }'
done
