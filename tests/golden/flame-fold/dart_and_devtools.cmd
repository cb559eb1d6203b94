# Samples of the Dart VM, leaf first, and both snapshots of Flutter's DevTools.
cat >vm.json <<'P'
{"type":"CpuSamples","samplePeriod":50,"maxStackDepth":10,"sampleCount":3,
 "timeOriginMicros":0,"timeExtentMicros":100,"pid":12345,"functions":[
 {"kind":"Dart","inclusiveTicks":3,"exclusiveTicks":1,"function":{"type":"@Function","name":"main","owner":{"type":"@Library","name":"","uri":"file:///m.dart"}}},
 {"kind":"Dart","inclusiveTicks":2,"exclusiveTicks":2,"function":{"type":"@Function","name":"work","owner":{"type":"@Class","name":"App"}}},
 {"kind":"Native","function":{"type":"NativeFunction","name":"memcpy"}}],
 "samples":[{"tid":100,"timestamp":50,"stack":[1,0]},{"tid":100,"timestamp":100,"stack":[0]},{"tid":7,"timestamp":150,"stack":[2,1,0]},{"tid":7,"timestamp":200,"stack":[9,0]}]}
P
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
