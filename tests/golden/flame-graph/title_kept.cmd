# A picture that is drawn again keeps its title, unless another is given or
# something without it is added; without one it is called after its input.
title() {
	sed -n 's/.*<title>\(.*\)<\/title>$/\1/p' | head -n 1
}
printf 'a;b 5\n' >a.folded
flame-graph --title 'Nightly <7> & more' a.folded >a.html
flame-graph -f svg a.html >a.svg
title <a.svg
flame-graph -f svg a.svg 2>/dev/null | title
flame-graph -f text a.svg 2>/dev/null | head -n 1
flame-graph -f svg --title Other a.html | title
flame-graph -f svg a.html a.svg 2>/dev/null | title
flame-graph -f svg a.html a.folded | title
flame-graph a.folded | flame-graph --inverted -f svg | title
printf '%s\n' '<svg xmlns="http://www.w3.org/2000/svg" width="1200">' \
	'<text id="title" x="600" y="24">Others &amp; theirs</text>' \
	'<g><title>all (5 samples, 100%)</title>' \
	'<rect x="10" y="40" width="1180" height="15"/></g></svg>' >other.svg
flame-graph -f svg other.svg 2>/dev/null | title
