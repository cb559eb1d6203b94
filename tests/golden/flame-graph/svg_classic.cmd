# Names, how they ran, and what flamegraph.pl paints them with.
cat > in.folded <<'X'
--;- 1
main;foo;a::b_[k];java/lang/A.m_[j] 1
main;org/a/B.c_[i];a:::b;x.pl;std::x;site-packages/q 1
lib`abcdef;/x.js;a:b;p_[w] 1
X
colours() { sed -n 's/.* fill="\(#[0-9a-f]*\)"><title>\(.*\) (.*/\2 \1/p' | sort -u | paste -s -d ' ' ; }
flame-graph --help=all | sed -n 's/^  \(classic-[a-z]*\) .*/\1/p' > schemes
while read -r scheme
do
	echo "$scheme: $(flame-graph --colors $scheme in.folded | colours)"
done < schemes
for by in hash deterministic random
do
	echo "$by: $(flame-graph --colors classic-hot --$by in.folded | colours)"
done
for peer in perl inferno
do
	echo "$peer: $(flame-graph --colors classic-java --hash \
		--compat $peer in.folded | colours)"
done
