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
# A stack without frames gets a frame of its own, in text and in pictures.
echo 'a;b 3' >in
for options in '--hide .' '--depth 0' '--min 101%' '--rename s/.*//'; do
	flame-filter $options in
done
echo " 3" | flame-fold --key file
flame-graph --depth 0 in | grep -c '>\[no stack\]'
