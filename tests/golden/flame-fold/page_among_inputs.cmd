# A page or picture that is not a flame graph is reported and left out.
printf 'a;b 1\n' >one
printf 'a;c 2\n' >two
echo '<html><body>404 Not Found</body></html>' >gone
echo '<svg xmlns="http://www.w3.org/2000/svg"><path d="M0 0"/></svg>' >drawn
for j in 1 4
do
	flame-fold -j $j one gone two drawn one
	echo "exit $?"
	mkdir to
	flame-graph -j $j -f svg -o to one gone two
	echo "exit $?" $(ls to)
	rm -r to
done 2>&1
flame-fold gone
