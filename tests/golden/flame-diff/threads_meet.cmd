# Threads of two recordings have other numbers: they are compared by the rest
# of their names.  Names of functions, and of compilers, keep theirs.
cat > before <<-'END'
	[worker-1 tid=1740];Task.run;f1 10
	[worker-2 tid=1741];Task.run;f2 20
	[C1 CompilerThread0 tid=9];compile 3
	[C2 CompilerThread0 tid=8];compile 4
END
sed 's/tid=1/tid=2/; s/worker-1/worker-7/; s/=[89]]/=77]/; s/10$/15/' \
	before > after
flame-diff --quiet -f folded before after
flame-diff --quiet --top before after
sed 's/.*;Task/[stage 7];Task/' before | flame-diff --quiet -f folded - before
flame-diff --quiet -f html before after > x.html
flame-fold --quiet x.html | head -n 2

# Of real runs, what only one side has is less than a twentieth of all frames.
for side in base plus10
do
	cat corpus/jobs/runs-java/$side-*.folded.gz > $side.gz
done
flame-diff --quiet -f folded base.gz plus10.gz | awk '{
	n = split($0, frame, ";")
	sub(/ [0-9]+ [0-9]+$/, "", frame[n])
	way = ""
	for (i = 1; i <= n; i++) {
		way = way ";" frame[i]
		a[way] += $(NF - 1)
		b[way] += $NF
	}
}
END {
	for (way in a) {
		before += a[way]
		after += b[way]
		gone += b[way] ? 0 : a[way]
		fresh += a[way] ? 0 : b[way]
	}
	print gone / before < .05, fresh / after < .05
}'
