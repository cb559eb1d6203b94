# The threads of a list are those of the samples, for readers of each kind.
cd $DATA
for file in firefox/*.json speedscope/*.json trace-event/*.json pprof/go-*.gz \
	otlp/*.otlp sentry/profile.json heaptrack/*.txt xctrace/*.xml; do
	flame-fold -q --event list "$file" | awk 'NR > 1 { print $1, $(NF - 1) }' |
	while read -r event listed; do
		found=$(flame-fold -q --event "$event" --threads "$file" |
			sed -n 's/^\(\[[^;]*\];\).*/\1/p' | sort -u | wc -l)
		[ "$listed" = "$found" ] || [ "$listed$found" = -0 ] ||
			echo "$file $event: $listed is $found"
	done
done
