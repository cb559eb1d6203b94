# Sites without event logs: all stacks of both, or groups by keys that are not
# of one run.
mkdir monday tuesday
for app in 1 2
do
	printf 'main;a %d\nmain;b 200\n' $((300 * app)) \
		>monday/profile-app-2026010100000$app-000$app-exec-1.folded
	printf 'main;a %d\nmain;b 210\n' $((500 * app)) \
		>tuesday/profile-app-2026010200000$app-000$app-exec-1.folded
done
flame-batch -q -o old monday
flame-batch -q -o new tuesday
flame-diff old new
flame-batch -q --key app,executor -o old2 monday
flame-batch -q --key app,executor -o new2 tuesday
flame-diff old2 new2 | tail -n 1
