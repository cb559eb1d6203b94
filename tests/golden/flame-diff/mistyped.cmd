# Errors in a command line, and the suggested words.
echo 'a 1' >a
exec 2>&1
for wrong in --normalise --titel -Z -o --top=x --brief=1 --no '--widths x' \
	'--width abc' '--minwidth x' --widths --nosuchthing '-q -o d.html' '-q -f svg'
do
	flame-diff -f svg $wrong a a
	echo "$wrong: $?"
done
printf 'f [0x12] 1\n' >b
flame-diff -s b a
ls
