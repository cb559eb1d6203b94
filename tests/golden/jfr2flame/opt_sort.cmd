# The same frames, in another order; a page has the heaviest first.
printf 'a 1\nb;c 2\nb;d 3\nb;e 9\n' >in
for s in weight name
do
	jfr2flame --sort $s in -o svg | sed -n 's/.*<title>\([^<]*\) (.*/\1/p' |
		tr '\n' ','
	jfr2flame --sort=$s in -o html | sed -n 's/.*<text[^>]*>\(.*\)<\/text.*/\1/p' |
		tr '\n' ','
	jfr2flame --sort=$s in -o html >$s.html
	echo
done
jfr2flame in -o html | cmp - weight.html
jfr2flame in -o svg >page.svg
jfr2flame --sort name in -o svg | cmp - page.svg
# Both read as the same.
jfr2flame -o collapsed weight.html
jfr2flame -o collapsed name.html
jfr2flame --sort heavy in -o svg 2>&1
echo $?
