# What became of the inputs; missing and lost ones do not fail a list.
exec 2>&1
: >none
printf 'a;b 3\nx\n' >bad
printf 'a;b 3\n' >good
for input in good bad none missing data/jfr/spark-killed.jfr
do
	printf '%s\0' $input
done >list
for form in text json hadoop
do
	flame-fold -q --paths-from list --report $form
	echo "status $?"
done
for partial in ok fail
do
	flame-fold -q --partial $partial --report text missing good
	echo "status $?"
	flame-fold -q --partial $partial --report text missing
	echo "status $?"
	flame-merge -q --partial $partial missing good
	echo "status $?"
done
flame-fold -q missing good
echo "status $?"
flame-fold -q --partial fail --paths-from list
echo "status $?"
flame-top -q --paths-from list --report json
flame-fold --report yaml good
echo "status $?"
