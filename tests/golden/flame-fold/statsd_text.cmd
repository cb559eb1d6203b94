flame-fold --by host $DATA/statsd/influx.txt 2>&1
flame-fold --by executor $DATA/statsd/csv.txt 2>&1
flame-fold --lines $DATA/statsd/graphite.txt 2>&1
flame-fold --to 2023-11-14T22:13:20.5Z $DATA/statsd/graphite.txt 2>&1
