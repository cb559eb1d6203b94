# --min leaves rows out and changes no weight: self and total of each row are
# those that the stacks add up to, and (lighter) is the rest of its caller.
f=data/jfr/spark-cpu-wall.jfr
printf 'a;f_[j];x 60\na;f_[0];x 5\na;g 35\na;h 1\na;f;y 2\n' >in
flame-top --tree --min 6% in
flame-top --min 6% in
flame-top --callers x --min 66 in
flame-fold -q --no-tiers $f >stacks
for min in 1% 5% 20; do
	flame-top -q --tree --min $min -f tsv $f >tree
	awk -v least=$min -F '\t' '
	NR == FNR {
		n = $0
		sub(/.* /, "", n)
		sub(/ [0-9]+$/, "")
		self[$0] += n
		all += n
		for (s = $0; ; s = substr(s, 1, length(s) - RLENGTH)) {
			total[s] += n
			if (!match(s, /;[^;]*$/))
				break
		}
		next
	}
	FNR == 1 {
		if (sub(/%/, "", least))
			least *= all / 100
		for (s in total)
			shown += total[s] >= least
		next
	}
	{ sum += $2 }
	$4 == "(lighter)" { lighter++; bad += $2 != $3; next }
	$1 == 0 { bad += $3 != all; next }
	{
		path[$1] = ($1 > 1 ? path[$1 - 1] ";" : "") $4
		bad += self[path[$1]] + 0 != $2 || total[path[$1]] != $3
		rows++
	}
	END { print (rows == shown), bad + 0, (sum == all), (lighter > 0) }
	' stacks tree
done
flame-top -q -N 0 --min 20 -f tsv $f >some
flame-top -q -N 0 -f tsv $f | awk -F '\t' 'NR == 1 || $2 >= 20' | cmp - some
