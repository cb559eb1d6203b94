# Remainders are carried on in the order of stacks, however many threads read,
# and make no weight of 0 negative.
for i in 1 2 3
do
	awk -v i=$i 'BEGIN {
		for (n = 1; n < 200; n++)
			printf "main;f%d;g%d%d;%s %d\n", n % 7, i, n % 31,
				n % 3 ? "leaf" n : "h;h;h" n % 5, n % 11
	}' >$i.txt
done
for j in 1 2 3 4
do
	flame-fold -q --collapse-recursion --grain 4 -j $j 1.txt 2.txt 3.txt |
		cksum
done | uniq -c | awk '{ print $1 }'
flame-fold -q --collapse-recursion --grain 4 1.txt 2.txt 3.txt |
	awk '{ n += $NF } END { print n }'
cat 1.txt 2.txt 3.txt | awk '{ n += $NF } END { print n / 4 }'
printf 'a 1\nb 0\nc 1\n' | flame-fold --grain 2
