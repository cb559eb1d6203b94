# A name that selects nothing is trouble: the names there are, and the nearest.
cpu=data/jfr/spark-cpu-wall.jfr
try() { "$@"; echo $?; }
try flame-fold --event CPU $cpu
try flame-fold -q --event wall,cpu $cpu
try flame-fold -q --root Executr.TaskRuner $cpu
try flame-fold -q --root NoSuch - <$cpu
try flame-fold -q --thread atach $cpu
try flame-fold -q --event wall --state runing $cpu
printf 'main;a 1\n' >plain
try flame-fold --thread main plain
try flame-top --event alloc plain $cpu
try flame-diff -q --event x $cpu $cpu
# Nothing is written.
mkdir out
try flame-fold --event alloc -o out $cpu plain
try flame-graph -q --events a,b -o page.html $cpu
ls out *.html
# Of two profiles one may have none.
try flame-diff --quiet --event cpu -o diff.html $cpu plain
# For batches; and any option that leaves nothing is trouble.
try flame-fold --empty ok --event alloc $cpu
try flame-fold --keep nosuch $cpu
try flame-fold --empty yes $cpu
