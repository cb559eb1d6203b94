# A name that ends like a format that is not written is refused.
echo 'a;b 1' >in
try() { "$@"; echo "$? $(ls | grep '^out' | tr '\n' ' ')"; rm -f out*; }
for end in png PDF json json.gz csv jfr; do
	try flame-graph -o out.$end in
done
try flame-fold -o out.jpg in
try flame-top -o out.html in
try flame-diff --top -o out.svg in in
try flame-merge -o out.svg in
# Others go on, and what is asked for by name.
for end in txt out folded foo svgz htm; do
	try flame-graph -o out.$end in
done
try flame-graph -f d3 -o out.json in
try flame-top -o out.json in
try flame-top -f tsv -o out.csv in
try flame-merge -o out in
# A picture is neither an output nor a second input.
cp in out.png
try jfr2flame in out.png
try jfr2flame in out.gif
