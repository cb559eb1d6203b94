# A line of 4,000 bytes, 75,000 times, packed twice: it is not read to its end,
# and not the end of the others.
awk 'BEGIN { s = sprintf("%3996s", ""); gsub(/ /, "x", s); print s " 1" }' |
	head -n 1 >line
yes "$(cat line)" | head -n 75000 | gzip -1 | gzip -1 >bomb.gz.gz
echo 'a;b 7' >good
short() { sed 's/xxx*/x/'; }
flame-fold -j 1 bomb.gz.gz good | short
flame-fold -q -j 2 good bomb.gz.gz | short
flame-merge -q bomb.gz.gz good >merged
echo "$?"
short <merged
flame-fold -q bomb.gz.gz good >/dev/null
