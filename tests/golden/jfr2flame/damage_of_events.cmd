# Damaged parts are left out and reported, and nothing else is.
for damage in state_not_there damaged_events class_id_twice
do
	mkjfr data/jfr-text/$damage.txt >in.jfr
	for jobs in 1 2
	do
		jfr2flame -j $jobs --cpu -o collapsed in.jfr - 2>&1
	done
	jfr2flame -q --cpu --partial fail -o collapsed in.jfr - >out
	echo $?
done
