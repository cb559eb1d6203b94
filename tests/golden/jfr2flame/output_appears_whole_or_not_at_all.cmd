echo old >out.html
echo no profile >text.jfr
jfr2flame -q text.jfr out.html 2>/dev/null
echo $?
cat out.html
ls -A
