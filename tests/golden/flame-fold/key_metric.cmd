# All metrics at once, each in lines of its own.
in=data/jfr/spark-multichunk.jfr
flame-fold --key metric "$in" >all
head -n 1 all
for event in cpu wall alloc
do
	flame-fold -q --event $event all >one
	flame-fold -q --event $event "$in" | cmp - one && wc -l <one
done
flame-fold --key metric --total "$in" | head -n 1
