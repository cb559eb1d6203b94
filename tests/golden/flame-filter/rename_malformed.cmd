for rule in x s/a s/a/b s/a/b/z 's/(/b/' 's/a/\1/' 's/a/\U&/'
do
	printf 'a 1\n' | flame-filter --rename "$rule"
	echo $?
done
