# A count that was cut may have been any: the line before is the last.
i=0
while [ $i -lt 3000 ]; do
	echo "main;f$((i * 7919 % 3001)) 12345"
	i=$((i + 1))
done | gzip >whole.gz
head -c 5000 whole.gz >cut.gz
flame-fold cut.gz | grep -vc ' 12345$'
flame-fold -q cut.gz | head -n 1
