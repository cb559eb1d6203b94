printf 'a;b 1\na;c 99\n' >in
for w in 1 1% 1.5 1.5% 100 0
do
	echo "$w: $(jfr2flame --minwidth $w -o collapsed in | tr '\n' ,)"
done
