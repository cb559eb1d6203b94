# A word that can only be the option's value is; a file of that name is not.
printf 'a;b 10\na;c 10\n' >before
printf 'a;b 5\n' >after
flame-diff --normalize total before after
flame-diff before after --normalize none
flame-diff --top 1 before after
cp before total
flame-diff --normalize total after
