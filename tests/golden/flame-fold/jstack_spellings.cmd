flame-fold --by thread,state data/jstack/spellings.txt
awk '/^"/ { n++ } END { print n, "threads" }' data/jstack/spellings.txt
sed -E 's/^(".*") .*tid=0x([0-9a-f]+) nid=.*/\1 - Thread t@31/' data/jstack/jdk8.txt >visualvm
flame-fold -q visualvm >a
flame-fold -q data/jstack/jdk8.txt >b
grep -c "Thread t@31" visualvm
cmp a b
