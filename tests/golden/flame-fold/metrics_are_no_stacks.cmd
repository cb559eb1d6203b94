# A time is not a weight, nor is the size of a web page.
printf 'servers.a.load 1.5 1700000000\nservers.b.load 2 1700000001\n' |
	flame-fold 2>&1
echo $?
printf 'cpu,host=a usage=1.5 1700000000000000000\n' | flame-fold 2>&1
echo $?
printf '%s\n' '10.0.0.1 - - [10/Oct/2026:13:55:36 -0700] "GET / HTTP/1.1" 200 2326' \
	'10.0.0.1 - bob [10/Oct/2026:13:55:37 -0700] "GET /a HTTP/1.1" 200 99' |
	flame-fold 2>&1
echo $?
