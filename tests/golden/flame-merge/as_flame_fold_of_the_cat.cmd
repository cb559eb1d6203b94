for recording in data/jfr/spark-*.jfr
do
	flame-fold -q --no-tiers "$recording" >"$(basename "$recording").folded"
done 2>/dev/null
cat *.folded | flame-fold >want
flame-merge *.folded >got
cmp want got && wc -l <got
