printf 'a 1\n' >in
flame-top --sort name in
flame-top -f html in
flame-top --rows -1 in
flame-top --min 5x in
flame-top --callers a --callees b in
flame-top --callers '(' in
