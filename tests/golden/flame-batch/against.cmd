# A site and an earlier one: the same stages under other ids, of which one got
# slower in one method.
cp data/jfr-text/*.types data/jfr-text/ap.kinds .
# run ID NAME STACK-OF-STAGE-1 ITS-BEGIN: recordings and a log of a run; its two
# tasks are 0.5 seconds longer in the second.
run() {
	mkdir -p "in$1"
	for n in 1 2
	do
		sed "s/executor-id N/executor-id $n/; s/NAME/task $n/g
			s/app-20231114221320-0000/$2/
			s/^\(event jdk.ExecutionSample 2[0-9]* 2\) 3/\1 $3/" \
			data/spark-events/executor.mkjfr >$n.txt
		mkjfr $n.txt >"in$1/$n.jfr"
	done
	sed "s/app-20231114221320-0000/$2/; s/\"Stage ID\":/&$1/g
		s/\"Launch Time\":1700000002000/\"Launch Time\":170000000$4/" \
		data/spark-events/two_stages.eventlog >"log$1"
}
mkdir sites
run 1 app-20231114221320-0000 3 2000
run 2 app-20231115221320-0007 5 1500
flame-batch -q --spark-events log1 -o sites/monday in1
flame-batch -q --spark-events log2 --against sites -o sites/tuesday in2
ls sites/tuesday sites/tuesday/stages | grep against
grep -o 'href="against[^<]*' sites/tuesday/index.html
grep '^<tr>' sites/tuesday/against.html
flame-diff sites/monday sites/tuesday
# The page of a stage compares its stacks.
grep -o '<title>[^<]*' sites/tuesday/stages/*.against.html
# Folders that are not sites, and the site itself.
mkdir empty
for wrong in empty nothing sites/tuesday
do
	flame-batch -q --against $wrong --spark-events log2 -o sites/tuesday in2 2>&1
	echo $?
done
