# Frames of --mine have a colour of their own; without two profiles nothing
# swaps.
jfr2flame -q --mine 'LockSupport|Unsafe' --negate data/jfr/spark-lock.jfr x.svg
sed -n 's/.* fill="\(#[0-9a-f]*\)"><title>\([^ ]*\).*/\1 \2/p' x.svg | grep fec28f | sort | uniq -c
