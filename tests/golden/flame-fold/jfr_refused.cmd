# -f jfr copies whole events of recordings: what changes stacks, sums or reads
# something else is refused in words.
for options in '--by thread' --threads --reverse '--depth 3' '--min 2' \
	'--leak --event nativemem' '--label holder=x'; do
	flame-fold -f jfr $options "$DATA"/jfr/spark-nativemem.jfr
done
flame-fold -f jfr "$DATA"/pprof/go-cpu.pb.gz
flame-diff -f jfr "$DATA"/jfr/spark-lock.jfr "$DATA"/jfr/spark-lock.jfr
flame-record -f jfr -o x.jfr true
flame-fold --event cpu --by holder "$DATA"/jfr/spark-cpu-wall.jfr
:
