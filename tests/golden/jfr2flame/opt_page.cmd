# Options of a page are in it.
printf 'a;b 1\n' | jfr2flame --title 'My <Title>' --subtitle 'My "Sub"' \
	--notes 'My & notes' --countname beans --colors mem --highlight 'b$' \
	--width 700 --height 20 -o svg >page.svg
for text in 'My &lt;Title&gt;' 'Sub' 'My &amp; notes' beans '"700"'
do
	printf '%s: ' "$text"
	grep -q -- "$text" page.svg && echo yes
done
