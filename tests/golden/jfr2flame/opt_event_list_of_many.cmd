# Of all inputs together, and of a text that has no metrics.
jfr2flame -q --overlap keep --event list data/jfr/spark-trace.jfr data/jfr/spark-trace.jfr
echo 'a 1' | jfr2flame --event list -
