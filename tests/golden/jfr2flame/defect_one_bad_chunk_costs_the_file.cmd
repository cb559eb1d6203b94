sum() { awk '{ n += $NF } END { printf "%d lines, %.0f\n", NR, n }'; }
# The second of three chunks is overwritten: the others stay.
f=data/jfr/spark-multichunk.jfr
at=$(grep -abo 'FLR' $f | cut -d: -f1 | sed -n 2p)
cp $f in.jfr && chmod u+w in.jfr
head -c 3000 /dev/zero | tr '\0' '\377' |
	dd of=in.jfr bs=1 seek=$((at + 68)) conv=notrunc 2>/dev/null
jfr2flame -q --cpu --collapsed $f | sum
jfr2flame --cpu --collapsed in.jfr 2>said | awk '{ n += $NF } END { print (n > 80 && n < 161) }'
grep -c 'chunks damaged' said
jfr2flame -q --cpu --collapsed --partial fail in.jfr >out
echo $?
