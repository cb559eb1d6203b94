echo 'a;b 100' >1; echo 'a;b 150' >2; echo 'a;c 90' >>1
jfr2flame --diff --widths max --delta total --noise 1 1 2 x.svg
sed -n 's/.* width="\([0-9]*\)" height="1" fill="\(.*\)"><title>\(.*\) sam.*/\1 \2 \3/p' x.svg
jfr2flame --diff --normalize total 1 2 x.svg
sed -n 's/.*<title>\(.*\)<.t.*/\1/p' x.svg
