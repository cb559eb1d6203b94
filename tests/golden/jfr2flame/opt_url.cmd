# Files are read as ever; tests/laws/urls has URLs.
for options in '--url-timeout 5' '--url-timeout 0' '--url-token data/no/token'
do
	jfr2flame -q --cpu --collapsed $options data/jfr/spark-trace.jfr \
		2>&1 | tail -n 1
done
