# Nothing is lost, and nothing is said.  Pages name their source, which
# is another file.
strip() {
	sed 's/<title>.*//; s/<h1>.*//; /id="origins"/d'
}
printf '%s\n' ' 5' 'a;b_[j] 99990' 'a;b_[j];c 9' 'a;d_[k] 1' 'e;f_[0];g_[1] 7' |
	flame-graph -f html > x.html
flame-fold x.html
flame-graph x.html -f html | strip >y.html
strip <x.html | cmp - y.html
