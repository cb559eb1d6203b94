printf '# nothing\n' >in
flame-top --empty ok -i folded in
flame-top --empty ok -i folded -f json in
flame-top --empty ok -i folded --tree in
flame-top --empty ok -i folded --callers x in
