for event in wall cpu memory memory-free
do
	flame-fold -q --event $event $DATA/mojo/full.mojo
done
flame-fold --event wall --by tid $DATA/mojo/full.mojo 2>&1
for data in columns tasks
do
	flame-fold $DATA/mojo/$data.mojo 2>&1
done
flame-fold --threads $DATA/xctrace/rows.xml 2>&1
flame-fold -q --total --by file $DATA/xctrace/rows.xml
flame-fold $DATA/safari/timeline.json
flame-fold --total $DATA/safari/timeline.json
flame-fold $DATA/perf-json/two.json
flame-fold --threads $DATA/perf-json/two.json
