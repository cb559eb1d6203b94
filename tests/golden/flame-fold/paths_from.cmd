# Lists: LF, CRLF, NUL, Hadoop's offsets, no last newline, empty.
printf 'a;b 3\n' >one
printf 'a;c 4\n' >'two 2'
printf 'one\n\ntwo 2' >lf
printf 'one\r\ntwo 2\r\n' >crlf
printf 'one\0two 2\0' >nul
printf '0\tone\n4\ttwo 2\n' >hadoop
: >none
printf '\n\r\n' >blank
for list in lf crlf nul hadoop none blank
do
	flame-fold -q --paths-from $list >$list.folded && cat $list.folded
	echo "$list: $?"
	flame-merge --paths-from $list | cmp - $list.folded
done
# A name that looks like an offset, among others that do not.
cp one "$(printf '12\tx')"
printf '12\tx\none\n' | flame-fold --paths-from -
flame-graph -f text --paths-from none >out 2>&1
echo "$?"
