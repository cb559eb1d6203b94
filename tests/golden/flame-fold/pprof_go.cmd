flame-fold --event list $DATA/pprof/go-cpu.pb.gz
flame-fold -q --by worker --root main.spin $DATA/pprof/go-cpu.pb.gz
flame-fold --event list $DATA/pprof/go-heap.pb.gz
flame-fold $DATA/pprof/go-heap.pb.gz
flame-fold -q --lines --event alloc_objects $DATA/pprof/go-heap.pb.gz
