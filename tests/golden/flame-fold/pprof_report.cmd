# What go tool pprof prints of a profile is what is in it.
flame-fold $DATA/pprof/raw.txt 2>&1
for event in cpu samples; do
	flame-fold --event $event --by k,z $DATA/pprof/raw.pb.gz > profile
	flame-fold --event $event --by k,z $DATA/pprof/raw.txt | cmp - profile
done
flame-fold --event cpu --by k,z $DATA/pprof/raw.pb.gz > profile
flame-fold -q --by k,z $DATA/pprof/traces.txt | cmp - profile
flame-fold $DATA/pprof/traces.txt 2>&1 >/dev/null
for name in drop drop-keep; do
	flame-fold $DATA/pprof/$name.pb > profile
	flame-fold $DATA/pprof/$name.raw | cmp - profile
done
# Cut: before the locations, in a trace.
head -n 12 $DATA/pprof/raw.txt | flame-fold 2>&1 || echo $?
head -c 500 $DATA/pprof/traces.txt | flame-fold 2>&1
# Other outputs are named.
printf 'File: m\nType: cpu\nShowing nodes accounting for 150ms, 100%% of 150ms total\n      flat  flat%%   sum%%        cum   cum%%\n' | flame-fold 2>&1 || echo $?
