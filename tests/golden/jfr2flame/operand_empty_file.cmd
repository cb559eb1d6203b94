: >empty.jfr
jfr2flame empty.jfr out.html
echo $?
jfr2flame --collapsed </dev/null
