flame-fold --event list $DATA/bpftrace/maps.txt
flame-fold --event stacks $DATA/bpftrace/maps.txt
flame-fold -q --event samples $DATA/bpftrace/maps.json
flame-fold -q --event samples $DATA/bpftrace/perf_mode.txt
flame-fold -q --event b $DATA/bpftrace/perf_mode.txt
