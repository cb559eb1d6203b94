cat > in.folded <<'X'
a;b 2
a;c 1
a;b 1
a;b 2
a 1
a;b 1
X
flame-graph --flamechart -j 4 in.folded |
	sed -n 's/.* x="\([0-9]*\)" y="\([0-9]*\)".*<title>\(.*\)<.title>.*/\2 \1 \3/p; /id="title"/p'
flame-graph --flamechart -f html in.folded; echo $?
flame-graph --flamechart -f text in.folded; echo $?
