# A status for a loss comes with a line that says what was lost.
printf 'a;b 1\na;c 2\n' >good
gzip -c good | head -c 20 >cut.gz
echo x >bad
flame-merge -q good cut.gz
echo $?
flame-merge -q --partial fail good cut.gz
echo $?
flame-merge -q --partial fail good bad
echo $?
