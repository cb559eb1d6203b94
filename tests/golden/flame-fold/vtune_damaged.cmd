cd $DATA/vtune
flame-fold broken.csv; echo $?
head -c 150 report.csv | flame-fold; echo $?
head -n 1 report.csv | flame-fold -i vtune; echo $?
printf 'Function Stack,CPU Time:Total,Module\na,1,b\n' | flame-fold; echo $?
