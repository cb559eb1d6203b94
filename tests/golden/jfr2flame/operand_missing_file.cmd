jfr2flame nosuch.jfr out.html
echo $?
ls
exit 2
