# The page's data differ by the setting alone, not what it holds.
in=data/jfr/spark-cpu-wall.jfr
jfr2flame -q $in folded.html
jfr2flame -q --no-fold-trunk $in open.html
cmp -s folded.html open.html && echo 'the same'
flame-fold folded.html >folded.txt
flame-fold open.html | cmp - folded.txt
