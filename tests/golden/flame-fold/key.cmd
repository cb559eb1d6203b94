# Labels as columns: of a path, of a recording, absent, without a stack.
mkdir application_1700000000000_0001
for stage in 1 2
do
	name=async-profiler-app-x-exec-3-stage-$stage-epoch-0
	printf 'main;a 3\nmain;b 1\n' >$name.folded
done
printf 'main;b 8\n 4\n' >other.folded
flame-fold --key app,stage ./*.folded >keyed
cat keyed
flame-fold --by app --key stage keyed
flame-fold --key 'executor,path=stage-(.)' ./*.folded
flame-fold --depth 1 --min 5 --key stage ./*.folded
flame-merge --key keyed keyed | tail -n 1
flame-fold --grain 2 --key stage ./*.folded
