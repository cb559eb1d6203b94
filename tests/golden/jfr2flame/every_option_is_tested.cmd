# Options, in both spellings, that no test of this folder has.
jfr2flame --help=all | sed -n 's/^  \(-[^ ,]\)*,* *--\([a-z-]*\).*/\1 --\2/p' |
while read -r letter name
do
	for o in $letter $name
	do
		cat data/../golden/jfr2flame/*.cmd | grep -v '^#' |
			grep -qe "[ ']$o[ '=|]" -e "[ ']$o\$" || echo "$o"
	done
done
