# perf script report gecko: the library stands after the name, as in perf's
# own text of the same samples.
cat >gecko.json <<'P'
{"meta":{"interval":1,"processType":0,"product":"perf","stackwalk":1,"version":27,"symbolicated":true,"markerSchema":[],"categories":[]},"libs":[],"threads":[{"tid":7,"pid":7,"name":"in","registerTime":0,"markers":{"schema":{"name":0},"data":[]},"samples":{"schema":{"stack":0,"time":1,"responsiveness":2},"data":[[2,1.0,0],[2,2.0,0],[3,3.0,0]]},"frameTable":{"schema":{"location":0,"relevantForJS":1,"innerWindowID":2,"implementation":3,"optimizations":4,"line":5,"column":6,"category":7,"subcategory":8},"data":[[0,false,0,null,null,null,null,null,null],[1,false,0,null,null,null,null,null,null],[2,false,0,null,null,null,null,null,null],[3,false,0,null,null,null,null,null,null]]},"stackTable":{"schema":{"prefix":0,"frame":1},"data":[[null,0],[0,1],[1,2],[0,3]]},"stringTable":["main (in /w/in)","outer(long) (in /w/in)","do_sys (in [kernel.kallsyms])","[unknown] (in /lib/libm.so.6)"]}],"processes":[],"pausedRanges":[]}
P
flame-fold gecko.json 2>&1
