printf '%s\n' 'com/acme/A.a;org/apache/spark/S.b;org/apache/kafka/K.c 60' \
	'com/acme/A.a;org/apache/spark/S.d 30' >in
for options in '--mine acme --mine spark|kafka' '--colors package' \
	'--colors library' '--colors mine'
do
	echo "$options:"
	flame-graph $options in | sed -n 's/.* fill="\(#[0-9a-f]*\)"><title>\(.*\) (.*/\1/p' | sort -u >svg
	flame-graph $options -f html in | grep -o '<path fill="#[0-9a-f]*' |
		sed 's/.*"//' | sort -u >html
	cat html; cmp svg html
done 2>&1
