# Columns are of folded text.
exec 2>&1
flame-fold --key stage -f svg data/jfr/spark-trace.jfr
echo "status $?"
flame-fold --key stage, data/jfr/spark-trace.jfr
flame-fold --key 'stage=(' data/jfr/spark-trace.jfr
echo "status $?"
