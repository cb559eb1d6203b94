flame-fold $DATA/pprof/no_function_ids.pb
