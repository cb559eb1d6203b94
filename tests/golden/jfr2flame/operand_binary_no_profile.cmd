printf '\177ELF\002\001\001' >in.jfr
jfr2flame in.jfr out.html 2>said
status=$?
sed 's/read are .*/read are .../' said
exit $status
