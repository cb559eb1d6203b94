# Each sample lasted as long as raw_timestamp_deltas say, if they are of all.
stackprof() {
	printf '{"version":1.2,"mode":"wall","interval":1000,"samples":4,"gc_samples":0,"missed_samples":0,"frames":{"1":{"name":"main"},"2":{"name":"slow"}},"raw":[1,1,2,2,1,2,1,1,1,1],"raw_timestamp_deltas":[%s]}\n' "$1"
}
stackprof 1000,2000,5000,2000 | flame-fold --total
stackprof 1000,2000,5000 | flame-fold --total
stackprof 1000,2000,5000,2000 | flame-fold
