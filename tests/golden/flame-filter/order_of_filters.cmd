printf 'a;b;c;d 1\nx;b;b 2\n' >in
flame-filter --reverse --cut c --root b in
flame-filter --root b --cut c --reverse in
