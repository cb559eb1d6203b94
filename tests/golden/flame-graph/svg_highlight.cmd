printf 'a;b 1\na;c 2\n' >in
flame-graph --highlight '^b$' in | grep -o '<rect class[^>]*#f478d8[^>]*><title>[^<]*'
flame-graph --highlight '(' in
echo $?
