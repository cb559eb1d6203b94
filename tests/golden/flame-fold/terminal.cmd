# Where standard output is a terminal no name moves its cursor or reorders text,
# in any format; a file has the bytes.
printf 'a\302\23331m;\342\200\256b;=A 7\n=H("x");b 8\n' >in
flame-fold in | od -An -c | tr -d ' \n'; echo
for format in folded tsv ndjson
do
	script -qec "flame-fold -q -f $format in" /dev/null | tr -d '\r' | grep -v '^metric'
done
script -qec 'flame-top -q -f tsv in' /dev/null | tr -d '\r'
