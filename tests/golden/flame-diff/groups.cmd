# Groups of profiles: with -- between them, or folders.
mkdir before after empty
printf 'a;b 4\na 1\n' >before/one
printf 'a;b 2\n' >before/two
printf 'a;b 9\n' >after/one
printf 'c 1\n' >after/two
touch after/.hidden
flame-diff before/one before/two -- after/one after/two >operands
cat operands
flame-diff before after | cmp - operands
flame-diff before -- after | cmp - operands
flame-diff before -- after/one after/two | cmp - operands
flame-diff -o d.html before/* -- after/*
grep -o '<title>.*</title>' d.html
flame-diff before/one after | grep c
for wrong in 'before/one before/two after/one' 'before/one --' '-- before/one' \
	'before empty' 'before/one -- nothing' 'before after empty'
do
	flame-diff $wrong 2>&1
	echo "$?"
done
jfr2flame --diff -o collapsed before/one before/two -- after/one after/two |
	cmp - operands
