# A file of no bytes, a pipe of none, a profile without samples: one rule.
exec 2>&1
: >empty
printf '# nothing\n\n' >blank
printf 'a 0\n' >zero
mkjfr "$DATA/jfr-text/no_samples.txt" >none.jfr
echo 'a;b 1' >good
for tool in flame-fold flame-filter flame-graph flame-top jfr2flame flame-merge
do
	for input in empty blank zero none.jfr
	do
		case $tool/$input in
		flame-merge/*.jfr) continue ;;
		esac
		$tool $input >out
		echo "$tool $input: $?, $(wc -c <out) bytes"
	done
	: | $tool >out
	echo "$tool: $?, $(wc -c <out) bytes"
	: | $tool -q --empty ok >out
	echo "$tool --empty ok: $?"
	flame-fold -q good empty | cmp - good
done
flame-diff empty good || echo "before: $?"
flame-diff good none.jfr || echo "after: $?"
flame-diff -q --empty ok empty good && echo 'compared with nothing'
flame-fold --keep a empty || echo "$?"
flame-fold --partial ok empty gone && echo 'partial ok'
: >list
flame-fold --paths-from list || echo "$?"
# Parts of a job may be of nothing.
flame-fold -q --key file empty && flame-merge --stream empty && echo parts
