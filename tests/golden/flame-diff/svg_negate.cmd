echo 'a;b 10' > 1.folded; echo 'a;b 20' > 2.folded
for options in '' --negate '--colors classic-hot' '--colors classic-hot --negate'
do
	flame-diff -f svg --noise 0 $options 1.folded 2.folded |
		sed -n 's/.* fill="\(#[0-9a-f]*\)"><title>b.*/\1/p'
done
