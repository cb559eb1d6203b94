# A function with samples of its own, callees, and a neighbour whose name
# sorts between: one frame, but two for those who sort lines.
cat > in.folded <<'X'
main;foo 10
main;foo-bar 10
main;foo;x 10
X
frames() { sed -n 's/.* x="\([0-9]*\)" y="\([0-9]*\)".*<title>\(.*\)<.title>.*/\2 \1 \3/p'; }
flame-graph in.folded | frames
for peer in perl inferno; do echo "$peer"; flame-graph --compat $peer in.folded | frames; done
flame-graph --compat ruby in.folded
