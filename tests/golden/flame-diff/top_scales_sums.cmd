# Half of a thousand stacks of one sample is 500 samples of f: it did not move.
for i in $(seq 1000); do echo "main;f;g$i 1"; done >before
head -n 500 before >after
flame-diff -n --top=2 --sort total before after
flame-diff -n --top=0 --sort total before after | grep -c '[0-9]  [fm]$'
flame-diff -n -f text --width 30 before after | sed -n '1p; $p'
flame-diff -n before after | grep -c ' 0 1$'
# A method's ways of running are one line, 2 + 2 + 2 of 8 samples: 4.5 of 6.
printf 'a;f_[j] 2\na;f_[0] 2\na;f_[i] 2\na;g 2\n' >ways
printf 'a;f_[1] 3\na;g 3\n' >others
flame-diff -n ways others
flame-diff -n --top ways others
# a has 200 of 600 samples before and 200 of 280 after: 93 of 280, + 107.
for i in $(seq 200); do echo "all;a;x$i 1"; echo "all;b;x$i 2"; done >many
for i in $(seq 200); do echo "all;a;x$i 1"; done >third
echo 'all;b 80' >>third
flame-diff -n --top=3 --sort total many third
# Third is first, x 600 / 280: a is max(429, 200) wide, b max(171, 0) + 400.
flame-diff -n -f svg --widths max third many |
	sed -n 's/.* width="\([0-9]*\)" height="1" .*<title>\(\(all\|[ab]\) ([^)]*\)).*/\1 \2/p'
