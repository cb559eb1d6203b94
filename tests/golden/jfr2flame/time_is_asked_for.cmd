# Times and threads are in the page only where they are asked for.
in=data/jfr/spark-multichunk.jfr
jfr2flame -q $in plain.html
jfr2flame -q --no-time $in | cmp - plain.html
jfr2flame -q --time $in x.html
flame-fold -q --by tid x.html | sed 's/;.*//' | sort -u | wc -l
flame-fold -q --by tid plain.html | sed 's/;.*//' | sort -u
flame-fold -q $in > folded
jfr2flame -q --time --collapsed $in | cmp - folded
