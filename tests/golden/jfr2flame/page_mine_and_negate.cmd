# What is mine has a colour of its own; without two profiles nothing swaps.
jfr2flame -q --mine 'LockSupport|Unsafe' --negate data/jfr/spark-lock.jfr x.svg
sed -n 's/.* fill="\(#[0-9a-f]*\)"><title>\([^ ]*\).*/\1 \2/p' x.svg | grep fec28f | sort | uniq -c
