# A first line names what is counted.  Read again, it is of that metric.
in=data/jfr/spark-trace.jfr
flame-fold -q --header --event cpu --root TaskRunner.run --depth 2 $in >cpu
flame-fold -q --header --event wall --root TaskRunner.run --depth 2 $in >wall
cat cpu
head -n 1 wall
flame-fold --header cpu cpu | tail -n 1
flame-fold --event list cpu wall
tail -n +2 wall >bare
flame-fold --event wall cpu wall | cmp - bare
echo 'a;b 3' | flame-fold --header
: | flame-fold -q --header
