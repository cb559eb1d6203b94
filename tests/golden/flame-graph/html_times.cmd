# A page has when samples were and of which thread, unless an option says not
# to; however many threads read, it is the same; the profile is too.
in=data/jfr/spark-multichunk.jfr
flame-graph -q -f html -o x.html "$in"
flame-graph -q -f html -j 3 "$in" | cmp - x.html
flame-graph -q -f html --no-time "$in" > plain.html
jfr2flame -q --no-time "$in" | cmp - plain.html
jfr2flame -q --time "$in" | cmp - x.html
flame-fold -q --no-tiers "$in" > 1
for page in x.html plain.html
do
	flame-fold -q --no-tiers $page | cmp - 1
done
flame-fold -q plain.html > 2
flame-fold -q x.html | cmp - 2
[ $(wc -c < x.html) -gt $(wc -c < plain.html) ] && echo larger

# Where there is one thread and no time, there is nothing to keep.
printf 'a;b 2\na 1\n' > in.folded
flame-graph -f html in.folded > x.html
flame-graph -f html --no-time in.folded | cmp - x.html
