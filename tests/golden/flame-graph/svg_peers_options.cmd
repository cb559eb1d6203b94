# A peer's command line, whole: what is not done is reported, nothing else.
echo 'main;a_[j] 3' > in.folded
flame-graph --title T --subtitle S --notes N --width 1000 --height 16 \
	--minwidth 0.1% --fonttype Verdana --fontsize 11 --fontwidth 0.59 \
	--color=java --bgcolors blue --hash --inverted --reverse \
	--nametype Function: --countname samples --total=6 --factor 2 \
	--encoding UTF-8 --base main --search-color '#ff0000' \
	--stroke-color 'rgb(1,2,3)' --uicolor '#222222' \
	--truncate-text-right --no-sort --deterministic --colordiffusion \
	--pretty-xml --no-javascript --negate in.folded
