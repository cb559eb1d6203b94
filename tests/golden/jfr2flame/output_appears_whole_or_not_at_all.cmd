echo old >out.html
: >empty.jfr
jfr2flame -q empty.jfr out.html 2>/dev/null
echo $?
cat out.html
ls -A
