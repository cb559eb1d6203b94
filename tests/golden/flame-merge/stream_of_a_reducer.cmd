printf 'b;c\t1\nb;c\t2\na\t4\t\na\t8\t\nb;c\t16\n' | flame-merge --stream
