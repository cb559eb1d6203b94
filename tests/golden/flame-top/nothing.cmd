printf '# nothing\n' >in
flame-top -i folded in
flame-top -i folded -f json in
flame-top -i folded --tree in
flame-top -i folded --callers x in
