# A picture that is drawn again has its title, from and to each format; a new
# one wins.
echo 'a;b 5' >stacks
for from in svg html; do
	flame-graph -f $from -o picture.$from --title 'Before & after' stacks
	for to in svg html; do
		flame-graph -f $to picture.$from | grep -m 1 -o '<title>.*</title>'
		flame-graph -f $to --title New picture.$from | grep -m 1 -o '<title>.*</title>'
	done
done
