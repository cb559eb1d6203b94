# jfrconv --simple cuts classes at slashes.  Those of lambdas are written with
# dots in a recording, those of others are not.
jfr2flame -q --compat jfrconv --alloc --simple -o collapsed \
	data/jfr/jdk17-multichunk.jfr.gz | sed 's/.*;//' |
	grep -e Lambda -e String
jfr2flame -q --compat jfrconv --alloc --simple --norm --dot -o collapsed \
	data/jfr/jdk17-multichunk.jfr.gz | sed 's/.*;//' | grep Lambda
