# The list of pages, and why inputs are on none; a README is not reported.
mkdir in
printf 'main;run 3\n' >in/good.folded
echo 'How these were recorded' >in/README
echo 'Finder was here' | tee in/.DS_Store >in/._good.folded
flame-batch -o site in
flame-batch -q -o site in
# Half a recording has no stacks: its samples are on no page.
head -c 122910 data/jfr/spark-cpu-wall.jfr >in/half.jfr
printf '\0\1\2\3' >in/cut.jfr
printf 'main;stop 4\n' >"$(printf 'in/\377\376.folded')"
printf 'main;stop 5\n' >"$(printf 'in/\303\251 \355\240\200.folded')"
printf 'main;stop 6\n' >"$(printf 'in/\303\251.folded')"
: >in/nothing
# What a link leads to is not quoted.
printf 'root:x:0:0:secret\n' >secret
ln -s ../secret in/link
ln -s ../secret in/link.jfr
flame-batch -o site in
flame-batch -q --title "$(printf 'x\377')" --key file -o titles in
cat site/data/manifest.json | sed 's/"mtime":.*/"mtime":/'
for json in site/data/*.json titles/data/*.json
do
	iconv -f UTF-8 -t UTF-16 $json >text || echo "$json is not UTF-8"
done
grep -rl secret site titles
flame-fold -q site/data/*.folded.zst
# All is as it was, whatever files are called.
flame-batch -o site in
# More than a handful.
for i in 1 2 3 4 5 6 7; do printf '\0%d' $i >in/bad-$i.jfr; done
flame-batch -o site in
flame-batch -q -o site in
echo $?
# Nothing is written of nothing.
mkdir none empty
cp in/README in/cut.jfr none
try() { flame-batch "$@"; echo $?; ls -d new; }
mkdir eventlog_v2_empty events
: >events/_SUCCESS
try -o new empty
try -o new empty events
try -o new --spark-events events --spark-events empty
try -o new eventlog_v2_empty
try -o new gone
try -q -o new gone gone-too
try -o new none
try -o new hdfs:///profiles/
flame-batch -o new empty gone in/good.folded
echo $?
