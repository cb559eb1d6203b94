# Colours in the map are used, others are added, sorted.
printf 'b->rgb(1,2,3)\nno colour\na->b->rgb(4,5,6)\n' > palette.map
echo 'a;b;a->b 1' | flame-graph --cp --colors classic-hot |
	sed -n 's/.* fill="\(#[0-9a-f]*\)"><title>\(.*\) (.*/\2 \1/p'
cat palette.map
