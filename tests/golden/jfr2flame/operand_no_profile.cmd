echo 'What is this?' >in.jfr
jfr2flame in.jfr out.html 2>said
status=$?
cat said
ls
exit $status
