for i in $(seq 100 160)
do
	printf 'a;b%s 1\nc 2\n' $i >$i.folded
	printf 'a;b%s 1\nc 2\n' $i | gzip >$i.folded.gz
	: >$i.empty
done
ulimit -S -n 40
flame-merge *.folded *.gz *.empty >got
cat *.folded *.folded | flame-fold | cmp - got && tail -n 1 got
