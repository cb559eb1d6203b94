# URLs of other kinds are distinguished from missing files.
for url in sftp://host/a/x.jfr hdfs1://nn/x.jfr file:///none/x.jfr x:/y ://x \
	'a b://x'
do
	flame-fold "$url"
	echo $?
done
