# A run is one box with the names of its frames; what else they call stands on
# it.  Every other box has the place, the name and the sum that it has in the
# picture of all rows, and the count of frames is the same.
cat > in.folded <<'X'
main;a;b;c;d;e 50
main;a;b;c;d;f 46
main;a;b 1
main;a;x 2
main;y 1
short;run 3
X
show() {
	sed -n -e 's/.*<rect.* x="\([0-9]*\)" y="\([0-9]*\)" width="\([0-9]*\)".*<title>\(.*\)<.title>.*/\1 \2 \3 \4/p' \
		-e 's/.*>\([^<]*[0-9] frames\)[^<]*<.*/\1/p' \
		-e 's/<text x="[^"]*" y="[^"]*">\([^<]*…[^<]*\)<.*/label \1/p' $1
}
flame-graph --fold-trunk -o small.svg in.folded
show small.svg
flame-graph --fold-trunk --inverted in.folded | grep -c data-run
in=data/jfr/spark-cpu-wall.jfr
flame-graph -q --fold-trunk --sort weight --minwidth 0.5 -o folded.svg $in
flame-graph -q --sort weight --minwidth 0.5 -o open.svg $in
boxes() { show $1 | sed -n 's/^\([0-9]*\) [0-9]* \([0-9]* .*(.*samples.*\)/\1 \2/p' | sort ; }
boxes open.svg > open
boxes folded.svg > folded
grep -v ' → ' folded | comm -23 - open
echo "$(comm -12 folded open | wc -l) of $(wc -l < folded) boxes are in both," \
	"$(grep -c ' → ' folded) are runs"
# Of each run first to last, one by one.
grep ' → ' folded | sed 's/ (/\n/' | awk 'NR % 2 { n += gsub(/ → /, "") }
	END { print n, "frames folded" }'
echo "$(($(wc -l < open) - $(wc -l < folded))) boxes fewer"
show folded.svg | grep ' frames$'; show open.svg | grep ' frames$'
for f in folded open; do flame-fold -q $f.svg | awk '{ n += $NF } END { print n }'; done
# A comparison, and a text, which is never folded.
sed 's/50$/60/' in.folded > more.folded
flame-diff --fold-trunk in.folded more.folded -o diff.svg
grep -c 'data-run' diff.svg
flame-graph --fold-trunk -f folded in.folded | head -n 1
