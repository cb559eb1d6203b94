flame-fold --by executor $DATA/statsd-json/influxdb.json 2>&1
flame-fold --lines $DATA/statsd-json/graphite.json 2>&1
cat $DATA/statsd-json/*.json | flame-fold -q
