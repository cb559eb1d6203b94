printf 'a;b 1\na;c 2\nb;d 4\n' | flame-filter --keep 'b|c' --drop d
