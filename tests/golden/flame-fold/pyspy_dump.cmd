flame-fold --by state,thread --depth 4 data/py-spy/dump.txt data/py-spy/dump-locals.txt
flame-fold --state r data/py-spy/dump-native.txt
