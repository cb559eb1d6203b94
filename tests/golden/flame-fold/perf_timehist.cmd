# Where tasks left the CPU, and how long they were off it.
flame-fold $DATA/timehist/sched.txt 2>&1
flame-fold --event list $DATA/timehist/sched.txt
flame-fold --event off-cpu --by thread --depth 1 $DATA/timehist/sched.txt
# The same of the raw lines.
grep -c ' <- ' $DATA/timehist/sched.txt
awk '/ <- / {
	task = $3
	if (task in seen)
		ns += 1e6 * ($4 + $5)
	seen[task] = 1
} END { printf "%d\n", ns }' $DATA/timehist/sched.txt
grep -v ' <- ' $DATA/timehist/sched.txt | flame-fold 2>&1 || echo $?
