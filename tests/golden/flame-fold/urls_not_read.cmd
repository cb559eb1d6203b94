# URLs of other kinds are told from files that are not there.
for url in hdfs://nn:8020/a/x.jfr hdfs://nn/x.jfr hdfs:///x.jfr HDFS://nn/x \
	gs://bucket/x.jfr abfss://c@a.dfs.core.windows.net/x x:/y ://x 'a b://x'
do
	flame-fold "$url"
	echo $?
done
