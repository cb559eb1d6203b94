awk 'BEGIN { for (i = 1000; i < 1200; i++) print "a;b" i, i * i }' | gzip |
	head -c 500 >one
flame-merge one >out
echo $?
sort -c out && awk '{ sub(/.*b/, ""); n += $1 * $1 != $2 } END { print n + 0 }' out
[ $(wc -l <out) -gt 50 ] && echo many
flame-merge --partial fail one >out
echo $?
