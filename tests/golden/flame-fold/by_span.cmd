mkjfr data/jfr-text/task_spans.txt >spans.jfr
flame-fold -q --event cpu --by tag spans.jfr
echo
flame-fold -q --event cpu --by stage,span,partition <spans.jfr
echo
gzip -c spans.jfr | flame-fold -q --event cpu --key stage,task
echo
flame-fold -q --event cpu --label tag=parse spans.jfr
echo
mkdir -p app-1
cp spans.jfr app-1/async-profiler-app-app-1-exec-2-stage-5-epoch-0.jfr
flame-fold -q --event cpu --by stage app-1/*.jfr
