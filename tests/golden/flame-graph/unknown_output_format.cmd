echo 'a 1' | flame-graph -f nettle 2>said
status=$?
sed 's/there are .*svg.*/.../' said
exit $status
