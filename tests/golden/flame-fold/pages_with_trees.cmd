# Pages whose script holds a tree: perf's, 0x's, Clinic's, stackprof's; written
# by hand in their layouts, also over several lines.
page() {
	printf '<!DOCTYPE html>\n<html><head><title>x</title></head><body>\n'
	printf '<script>\nconst options = {"name": "x", "value": 1};\n'
	cat
	printf '</script></body></html>\n'
}
page >perf.html <<'P'
  const stacks = [{"n": "all", "l": "root", "v": 7, "c": [{"n": "app", "l": "", "v": 7, "c": [{"n": "main", "l": "", "v": 3, "c": []}, {"n": "do_sys", "l": "kernel", "v": 4, "c": []}]}]}];
P
page >0x.html <<'P'
!function(e){return{"a":1}}({}),visualizer({"merged":{"name":"all stacks","value":10,"top":0,"children":[{"S":0,"name":"~main /my app/a.js:3:9","value":7,"top":1,"children":[{"S":1,"name":"*fib /my app/a.js:1:13","value":6,"top":6}]},{"S":0,"name":"__write [CPP]","value":3,"top":3}]},"unmerged":{"name":"all stacks","value":10,"children":[{"name":"no","value":10}]}})
P
page >clinic.html <<'P'
module.exports={"merged":{"id":null,"name":"all stacks","type":"none","value":5,"onStackTop":{"base":0},"children":[{"id":1,"name":"run node:events:5:1","functionName":"run","value":5,"onStackTop":{"base":5},"children":[]}]},"appName":"x"}
P
page >stackprof.html <<'P'
d3.select("#chart").datum({"name":"<root>","value":4,"children":[{"name":"Object#main","value":4,"children":[{"name":"A#leaf","value":3,"children":[]}]}]}).call(flameGraph)
P
page >lines.html <<'P'
var data =
{
  "name": "root",
  "children": [
    { "name": "f", "value": 2, "children": [ { "name": "g", "value": 1 } ] }
  ],
  "value": 2
}
P
for input in perf 0x clinic stackprof lines
do
	echo "$input:"
	flame-fold $input.html
done
head -c 500 perf.html | flame-fold --partial ok
