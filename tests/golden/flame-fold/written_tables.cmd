flame-fold -q -f tsv $DATA/otlp/since-1.10.otlp
flame-fold -q -f ndjson --root leaf $DATA/otlp/since-1.10.otlp
flame-fold -q -f d3 $DATA/otlp/since-1.10.otlp
flame-fold -q -f speedscope --title Shop $DATA/otlp/since-1.10.otlp
flame-fold -f tsv --width 100 --events all $DATA/pprof/go-heap.pb.gz | cut -f 1-4
