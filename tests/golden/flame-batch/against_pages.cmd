# Of pages without event logs: what changed, with the frame that explains it.
mkdir monday tuesday
printf 'main;a 300\nmain;b(x) 200\n' >monday/profile-app-20260101000001-0001-exec-1.folded
printf 'main;a 310\nmain;b(x) 600\n' >tuesday/profile-app-20260102000001-0007-exec-1.folded
flame-batch -q -o old monday
flame-batch -q --against old -o new tuesday
grep '^<tr>\|^<p>' new/against.html
ls new/stages
flame-fold new/stages/against-0.html
flame-batch -q --against old --key app,executor -o other tuesday
grep -c '^<tr>.*new\|^<tr>.*gone' other/against.html
