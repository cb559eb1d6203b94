# Two metrics, two units, other columns, a later version: all are errors.
exec 2>&1
head='# libflame folded 1; metric'
printf "$head=cpu; unit=samples\na 1\n" >cpu
printf "$head=wall; unit=samples\na 1\n" >wall
printf "$head=cpu; unit=ns\na 1\n" >ns
printf "$head=cpu; unit=samples; key=app\na\ta\t1\n" >app
printf '# libflame folded 1; unit=samples; key=app,metric\na\tb\ta\t1\n' >all
printf '# libflame folded 2\na 1\n' >later
printf 'a 1\n' >none
for other in wall ns app all later none
do
	flame-merge cpu $other
	echo "status $?"
done
cat none cpu | flame-merge --stream
echo "status $?"
