# A link of each frame; what would run in the page is none.
url='https://host/x?f={path}&l={line}"<>'
echo 'a;b 3' | flame-graph --source-url "$url" -f html |
	grep '^<meta name="source'
echo 'a;b 3' | flame-graph --source-url "$url" -f svg |
	grep -c '"source-url'
for url in 'javascript:alert(1)' 'javascript://%0aalert(1)' /x ''
do
	echo 'a;b 3' | flame-graph --source-url "$url" -f html
done
