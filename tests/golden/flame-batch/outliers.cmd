for executor in 1 2 3 4 5 6
do
	name=async-profiler-app-x-exec-$executor-stage-7-epoch-0.folded
	printf 'main;work 90%d\nmain;rest 9%d\n' $executor $executor >$name
done
printf 'main;work 400\nmain;odd 600\n' \
	>async-profiler-app-x-exec-5-stage-7-epoch-0.folded
# Far away, but of too few samples to decide.
printf 'main;rest 2\nmain;work 1\n' \
	>async-profiler-app-x-exec-6-stage-7-epoch-0.folded
# Too few executors to have a median.
printf 'main;a 100\n' >async-profiler-app-x-exec-1-stage-8-epoch-0.folded
printf 'main;b 100\n' >async-profiler-app-x-exec-2-stage-8-epoch-0.folded
flame-batch --outliers -o site *.folded
grep -A 20 outliers site/data/index.json
ls -R site | grep outlier
grep -A 3 'unlike the rest' site/index.html
flame-batch --outliers -o site *.folded
