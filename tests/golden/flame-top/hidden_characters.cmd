# Names of files, patterns and metrics are shown without hidden characters.
odd=$(printf 'a\342\200\256b')
printf 'main;a 1\n' > "$odd"
flame-top --info "$odd"
flame-top --callers "m$odd" "$odd"
flame-top "no$odd" 2>&1
