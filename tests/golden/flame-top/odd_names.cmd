printf 'q"\\;\303\244\377\355\240\200;e\033[31m;t\tb;\302\233x 9007199254740993\n' >in
flame-top in | od -c
flame-top -f tsv in | od -c
flame-top -f json in
