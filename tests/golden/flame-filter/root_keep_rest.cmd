printf 'a;b;c 1\na;d 2\nb 4\n' >in
flame-filter --root b --root-keep-rest in
flame-filter --root-keep-rest --root-innermost 'b|c' in
flame-filter --root-keep-rest in 2>&1
