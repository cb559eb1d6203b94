printf 'a 1\n' | flame-filter --keep x
echo $?
printf 'main;run 1\n' | flame-filter --keep mian
printf 'main;run 1\n' | flame-filter --drop .
printf 'main;run 1\n' | flame-filter --empty ok --keep x
echo $?
# The first option that leaves nothing is named, and what there is before it.
printf 'main;run 1\nmain;stop 2\n' >in
flame-filter --keep main --drop stop --label file=nil in
flame-filter --keep main --drop run --keep stop --include rnu --min 1 in
flame-filter --grain 100 in
# The input itself is of nothing.
echo 'a 0' | flame-filter
echo $?
