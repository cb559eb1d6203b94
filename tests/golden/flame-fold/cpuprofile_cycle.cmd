# Two of six samples have a stack; a and b call each other, below is below them.
node() {
	printf '{"id":%s,"callFrame":{"functionName":"%s","scriptId":"0","url":"","lineNumber":-1,"columnNumber":-1},%s"children":[%s]}%s\n' "$@"
}
nodes() {
	node 1 '(root)' '' 2 ,
	node 2 main '"hitCount":2,' '' ,
	node 3 a '"hitCount":2,' 4 ,
	node 4 b '"hitCount":1,' 3,5 ,
	node 5 below '"hitCount":1,' '' ''
}
{
	printf '{"nodes":['
	nodes
	printf '],"startTime":0,"endTime":60,"samples":[2,3,5,2,4,3],"timeDeltas":[9,9,9,9,9,9]}'
} | flame-fold
# By hits alone.
{
	printf '{"nodes":['
	nodes
	printf '],"startTime":0,"endTime":60}'
} | flame-fold
