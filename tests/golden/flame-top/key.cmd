# A row for each value of labels, which add up to all.
flame-top --event cpu --key thread -N 4 $DATA/jfr/spark-cpu-wall.jfr
for format in text tsv json markdown
do
	flame-top -f $format --key state,thread=^[A-Za-z]+ --event wall \
		--min 4% $DATA/jfr/spark-cpu-wall.jfr
done
# As flame-fold counts them.
flame-top -f tsv -N 0 --key thread --event wall $DATA/jfr/spark-cpu-wall.jfr |
	awk -F '\t' 'NR > 1 { print $1 "\t" $3 }' | sort > table
flame-fold --by thread --depth 1 --event wall $DATA/jfr/spark-cpu-wall.jfr |
	sed 's/\(.*\) \([0-9]*\)$/\2\t\1/' | sort | cmp - table && wc -l < table
cp data/jfr-text/*.types data/jfr-text/ap.kinds data/spark-events/plan.mkjfr .
mkjfr plan.mkjfr >1.jfr
flame-top -q --event cost --spark-events data/spark-events/plan.eventlog \
	--key query,operator 1.jfr
printf 'a;b 5\n' | flame-top --key thread
printf 'a;b 5\n' | flame-top --key thread --tree; echo $?
printf 'a;b 5\n' | flame-top -f markdown
printf 'a;b 5\n' | flame-top --key a,b,c,d,e,f,g,h,i; echo $?
