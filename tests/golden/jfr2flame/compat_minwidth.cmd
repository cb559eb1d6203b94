# jfrconv reads 1% as 0.01 %, and loses what is left out.
printf 'a;b 1\na;c 99\n' >in
for w in 2 2%
do
	echo "$w: $(jfr2flame --compat jfrconv --minwidth $w -o collapsed in | tr '\n' ,)"
done
