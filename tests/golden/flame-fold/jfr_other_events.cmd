# Samples of events that were not asked for are counted as well.
flame-fold --event wall $DATA/jfr/jdk25-cputime.jfr 2>&1 |
	grep -o 'Deoptimization [0-9]*' | sed 1q
flame-fold --event jdk.Deoptimization $DATA/jfr/jdk25-cputime.jfr |
	awk '{ n += $NF } END { print n }'
