rapids=async-profiler-app-app-20251121101112-0001
plugin=application_1600000000000_0042_2
yarn=application_1600000000000_0007/container_1600000000000_0007_01_000002
mkdir -p $plugin $yarn profiler_node7/4711
printf 'a;b 1\n' | tee $rapids-exec-12-stage-3-epoch-0.folded \
	$rapids-exec-13-stage-3-epoch-1.folded $rapids-exec-9-stage-4.folded \
	$plugin/profile-exec-1.folded $plugin/profile-driver.folded \
	$yarn/17.folded profiler_node7/4711/stackcollapse.data \
	$rapids-exec-x.txt >plain.folded
all=$(find . -type f | LC_ALL=C sort)
flame-filter --by stage,executor $all
echo
flame-filter --by app,attempt,container $all
echo
flame-filter --by host,pid $all
echo
flame-filter --label stage=3 --by epoch $all
echo
flame-filter --empty ok --by stage plain.folded
