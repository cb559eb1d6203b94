# A site of nothing is not written: the option is named, and what there is.
mkdir in
printf 'main;run 1\nmain;stop 2\n' >in/app-1-exec-2.folded
printf 'main;run 1\n' >in/x.folded
echo 'of no samples' >in/README
try() { flame-batch -o site "$@" in; echo $?; ls; }
try --keep mian
try --label file=y.folded
try --event cpu
mkdir site
try --drop .
# One group may be of nothing, and so may all where that is asked for.
flame-batch -o site --key file --keep stop in
echo $?
flame-batch -o none --empty ok --keep no in
echo $?
ls -R site none
# Groups that are made of labels of samples.
flame-batch -o split --key thread --event wall --root NoSuch data/jfr/spark-cpu-wall.jfr
echo $?
ls -d split
