# Of Spark RAPIDS' manual: what needed a zoom by hand is an option.
cp data/jfr/spark-cpu-wall.jfr async-profiler-app-1-exec-1-stage-2-epoch-3.jfr
gzip async-profiler-app-1-exec-1-stage-2-epoch-3.jfr
jfr2flame -q --root 'TaskRunner\.run' *.jfr.gz stage.html
ls
jfr2flame -q --root 'TaskRunner\.run' --depth 1 --collapsed *.jfr.gz
jfr2flame -q --wall --root 'TaskRunner\.run' --depth 1 --collapsed *.jfr.gz
