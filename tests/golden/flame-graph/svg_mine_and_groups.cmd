cat > in.folded <<'X'
java/lang/Thread.run_[j];com/acme/App.main_[j];org/apache/spark/A.b_[j] 7
java/lang/Thread.run_[j];org/apache/kafka/C.d_[j] 5
java/lang/Thread.run_[j];libc.so.6`read;main 1
X
colours() { sed -n 's/.* fill="\(#[0-9a-f]*\)"><title>\(.*\) (.*/\2 \1/p'; }
for options in '--mine acme --mine spark|kafka' '--colors package' \
	'--colors library'
do
	echo "$options"
	flame-graph -i folded $options in.folded | colours
done
