# What will be added up is of cpu, or of --event, whatever is in the input.
exec 2>&1
for input in trace lock alloc-live
do
	flame-fold --header data/jfr/spark-$input.jfr | head -n 1
done
mkdir folder
flame-fold -q -o folder data/jfr/spark-lock.jfr data/jfr/spark-trace.jfr
wc -l folder/*
