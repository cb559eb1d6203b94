flame-fold --by app $DATA/parquet/runs.parquet
flame-fold --label app=app-1 $DATA/parquet/runs.parquet
flame-fold -o again.parquet $DATA/parquet/runs.parquet && flame-fold -o twice.parquet again.parquet && cmp again.parquet twice.parquet
flame-fold --by app again.parquet
for app in app-2 app-1; do flame-fold --label app=$app -o $app.parquet $DATA/parquet/runs.parquet; done
flame-fold -o merged.parquet app-2.parquet app-1.parquet && cmp merged.parquet again.parquet
cat $DATA/parquet/runs.parquet | flame-top -f tsv -
cat $DATA/parquet/runs.parquet $DATA/parquet/runs.parquet | flame-fold 2>&1 || echo $?
head -c 900 $DATA/parquet/runs.parquet | flame-fold 2>&1 || echo $?
printf 'PAR1\25\4\25\0\4\0\0\0PAR1' | flame-fold 2>&1 || echo $?
printf PAR1 | flame-fold 2>&1 || echo $?
cp data/jfr-text/*.types data/jfr-text/ap.kinds data/spark-events/plan.mkjfr .
mkjfr plan.mkjfr >1.jfr
log=data/spark-events/plan.eventlog
# Stage 1's time on executor 2, which was not recorded, has executor 1's shares.
flame-fold --event cost --spark-events $log -o cost.parquet 1.jfr && flame-fold -q --by stage-name,query,operator cost.parquet >stored
flame-fold -q --event cost --spark-events $log --by stage-name,query,operator 1.jfr | sort | cmp - stored; head -n 3 stored
# Columns that a tree does not want are not read; folded text reads them all.
flame-fold -q --event wall --spark-events $log -o wall.parquet 1.jfr
for label in stage=0,1 executor=1; do
	for by in stage executor,query state app; do
		flame-fold -q --label $label --by $by wall.parquet | flame-top -q -N 0 -f tsv >wanted
		flame-top -q -N 0 -f tsv --label $label --by $by wall.parquet | cmp wanted - && wc -l <wanted
	done
done 2>&1 | xargs
flame-top --by nothing wall.parquet 2>&1 || echo $?
flame-top --by stage $DATA/parquet/runs.parquet 2>&1 || echo $?
