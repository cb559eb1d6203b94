echo 'What is this?' >in.jfr
jfr2flame in.jfr out.html 2>said
status=$?
sed 's/(.*)/(...)/' said
ls
exit $status
