printf 'a;b 1 2\na;c 3 5\n' >in
for column in 1 2 none
do
	jfr2flame --input-format folded --collapsed --column $column in
done
