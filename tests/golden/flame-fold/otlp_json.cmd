flame-fold --threads $DATA/otlp/since-1.10.json >json.folded
flame-fold --threads $DATA/otlp/since-1.10.otlp | cmp - json.folded && cat json.folded
flame-fold --lines --by service.name $DATA/otlp/lines.json 2>&1
head -c 1180 $DATA/otlp/lines.json | flame-fold 2>&1
head -c 500 $DATA/otlp/lines.json | flame-fold 2>&1 || echo $?
