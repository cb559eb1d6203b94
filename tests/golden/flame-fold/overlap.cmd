# A dump of a recording that goes on holds the chunk of the dump before it: that
# one counts once.  Three chunks of one sample each, b the last and lone one.
cp data/jfr-text/*.types data/jfr-text/*.kinds data/jfr-text/*.pools .
for n in 1 2 3; do
	{
		echo "chunk 2.1 start=170000000${n}000000000 duration=1000000000 ticks=0"
		printf 'include jdk.types\nmetadata\n'
		echo "event jdk.ExecutionSample $n 1 $((n % 2 + 1)) 5"
		printf 'checkpoint\ninclude jdk.kinds\ninclude base.pools\n'
	} >$n.txt
	mkjfr $n.txt >$n.jfr
done
cat 1.jfr 2.jfr >a.jfr
cat 2.jfr 3.jfr >b.jfr
sum() { awk '{ n += $NF } END { print n + 0 }'; }
echo 'three, of a, b, and both in any order'
for j in 1 2; do
	flame-fold -j $j a.jfr b.jfr | sum
	flame-fold -q -j $j b.jfr a.jfr | sum
	flame-fold -q -j $j --overlap keep a.jfr b.jfr | sum
done
echo 'joined, packed, of a pipe, in an archive, under another name'
cat a.jfr b.jfr | flame-fold | sum
gzip -c b.jfr >c.jfr.gz
flame-fold a.jfr c.jfr.gz | sum
cat a.jfr c.jfr.gz | flame-fold -q | sum
tar -cf d.tar a.jfr b.jfr
flame-fold d.tar 2>&1 | sed 's/.* \([0-9]*\)$/\1/'
flame-fold a.jfr a.jfr 1.jfr -o /dev/null
echo 'equal headers, other bytes: two chunks'
sed 's/Sample 1 1 2/Sample 1 1 1/' 1.txt >other.txt
mkjfr other.txt >other.jfr
head -c 68 1.jfr | cmp - other.jfr -n 68
flame-fold 1.jfr other.jfr | sum
echo 'a chunk whose stack is in the one that counts already'
mkjfr data/jfr-text/previous_stack.txt >both.jfr
size=$(($(od -An -tu8 --endian=big -j8 -N8 both.jfr)))
head -c $size both.jfr >first.jfr
flame-fold -q --event lock both.jfr
flame-fold --event lock --empty ok first.jfr both.jfr
echo 'format 0.9; a copy that is cut, twice'
mkjfr data/jfr-text/version_0_9.txt >old.jfr
flame-fold old.jfr old.jfr
head -c $(($(wc -c <a.jfr) - 9)) a.jfr >cut.jfr
flame-fold -q --partial ok cut.jfr | sum
flame-fold -q --partial ok cut.jfr cut.jfr | sum
echo 'other tools'
flame-graph --event cpu -o /dev/null -f html a.jfr b.jfr
flame-top -q a.jfr b.jfr | head -n 1
jfr2flame -q -o collapsed a.jfr b.jfr | sum
flame-diff -q a.jfr a.jfr && echo both sides
flame-fold --info a.jfr b.jfr | grep ^cpu | cut -c -60
