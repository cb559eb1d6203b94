flame-fold --by pid $DATA/phpspy/traces.txt 2>&1
flame-fold --lines $DATA/phpspy/traces.txt 2>/dev/null
grep -c '^0 ' $DATA/phpspy/traces.txt
head -c 220 $DATA/phpspy/traces.txt | flame-fold 2>&1
# A table of numbers is none.
printf '0 a b:1\n1 c d:2\n' | flame-fold 2>&1 | cut -c 1-60
