# A dump of a recording that goes on holds the chunks of the one before it.
cp data/jfr/spark-trace.jfr 1.jfr
cat 1.jfr data/jfr/spark-lock.jfr >2.jfr
flame-batch -o site 1.jfr 2.jfr
flame-batch -q -o quiet 1.jfr 2.jfr
flame-batch --overlap keep -o kept 1.jfr 2.jfr
flame-batch --key app,stage,thread -o threads 1.jfr 2.jfr 2>&1 | sed 's/: [0-9]* pages/: N pages/'
sum() { flame-fold -q "$@" | awk '{ n += $NF } END { print n }'; }
for metric in trace lock
do
	sum site/data/*.$metric.folded.zst
	sum --event $metric 2.jfr
	sum kept/data/*.$metric.folded.zst
done
# Samples are those of the pages.
for folded in site/data/*.folded.zst; do sum $folded; done |
	awk '{ n += $1 } END { print n }'
grep '"samples"' site/data/manifest.json
