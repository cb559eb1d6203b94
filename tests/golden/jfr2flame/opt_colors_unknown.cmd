echo 'a 1' | jfr2flame --colors plaid -o svg 2>said
status=$?
sed 's/not one of .* java .*/.../' said
exit $status
