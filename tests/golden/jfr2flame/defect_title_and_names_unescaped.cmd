# Neither a title nor a name ends a script or begins an element.
x='</script><img src=x onerror=alert(1)>'
printf '%s;]]>&<b>;"q"\\'"'"' 1\n' "$x" >in
for format in html svg
do
	jfr2flame --title "$x" --subtitle "$x" --notes "$x" -o $format in >out.$format
	grep -c '<img' out.$format
done
grep -o '</script>' out.html | wc -l >closed
echo 'a 1' | jfr2flame -o html | grep -o '</script>' | wc -l | cmp - closed
if command -v xmllint >/dev/null; then xmllint --noout out.svg; fi
