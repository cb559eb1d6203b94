# Times and threads are in the page unless they are not wanted.
in=data/jfr/spark-multichunk.jfr
jfr2flame -q $in x.html
jfr2flame -q --time $in | cmp - x.html
flame-graph -q -f html $in | cmp - x.html
jfr2flame -q --no-time $in plain.html
flame-fold -q --by tid x.html | sed 's/;.*//' | sort -u | wc -l
flame-fold -q --empty ok --by tid plain.html | sed 's/;.*//' | sort -u
flame-fold -q --no-tiers $in > folded
jfr2flame -q --no-tiers --time --collapsed $in | cmp - folded
