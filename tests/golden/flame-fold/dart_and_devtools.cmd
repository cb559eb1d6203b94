# Samples of the Dart VM, leaf first, and both snapshots of Flutter's DevTools.
cp $DATA/dart/cpu_samples.json vm.json
printf '{"devToolsSnapshot":true,"devtoolsVersion":"2.40","activeScreenId":"cpu-profiler","cpu-profiler":%s}\n' \
	"$(cat vm.json)" >snapshot.json
cat >old.json <<'P'
{"devToolsSnapshot":true,"activeScreenId":"cpu-profiler","cpu-profiler":{"type":"_CpuProfileTimeline","samplePeriod":50,"stackFrames":{
 "1-1":{"category":"Dart","name":"A","parent":"cpuProfileRoot","resolvedUrl":"a.dart"},
 "1-2":{"category":"Dart","name":"B","parent":"1-1"}},"traceEvents":[
 {"ph":"P","name":"","pid":7,"tid":42,"ts":0,"cat":"Dart","args":{"userTag":"Default","vmTag":"VM"},"sf":"1-1"},
 {"ph":"P","name":"","pid":7,"tid":42,"ts":1000,"cat":"Dart","args":{},"sf":"1-2"},
 {"ph":"P","name":"","pid":7,"tid":42,"ts":3000,"cat":"Dart","args":{},"sf":"1-2"}]}}
P
flame-fold vm.json snapshot.json
flame-fold -q --total --by tid vm.json
flame-fold old.json
flame-fold --total old.json
printf '{"version":5,"dataForRoots":[{"commitData":[]}]}\n' | flame-fold || echo $?
printf '{"snapshot":{"meta":{"node_fields":["type","name"]}},"nodes":[]}\n' | flame-fold || echo $?
