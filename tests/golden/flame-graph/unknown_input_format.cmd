for name in nettle speedskope
do
	echo 'a 1' | flame-graph -i $name 2>&1
	status=$?
done
exit $status
