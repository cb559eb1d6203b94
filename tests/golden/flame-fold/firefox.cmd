for file in processed shared gecko
do
	flame-fold $DATA/firefox/$file.json 2>&1
done
flame-fold --lines --by thread --total $DATA/firefox/processed.json 2>&1
flame-fold -q --total $DATA/firefox/gecko.json
flame-fold -q --from 2023-11-14T22:13:20.002Z $DATA/firefox/*.json
