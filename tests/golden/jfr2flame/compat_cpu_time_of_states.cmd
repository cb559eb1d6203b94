# jfrconv: --state replaces what --cpu-time asks for, and all
# execution samples in these states come.
for state in '' '--state runnable' '--state sleeping' \
	'--state runnable,sleeping'
do
	jfr2flame -q --compat jfrconv --cpu-time $state -o collapsed \
		data/jfr/jdk25-cputime.jfr |
		awk '{ n += $NF } END { print NR, n + 0 }'
done
jfr2flame -q --compat jfrconv --cpu --state runnable -o collapsed \
	data/jfr/jdk25-cputime.jfr | awk '{ n += $NF } END { print NR, n }'
