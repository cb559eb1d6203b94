echo 'What is this?' >in.jfr
jfr2flame in.jfr out.html 2>said
status=$?
sed 's/read are .*/read are .../' said
ls
exit $status
