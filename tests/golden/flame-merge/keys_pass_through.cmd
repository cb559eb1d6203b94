printf 'stage-1\tmain;a\t3\nstage-1\tmain;b\t1\nstage-2\tmain;a\t4\n' >one
printf 'stage-1\tmain;b\t16\nstage-2\tmain 32\n' >two
flame-merge --key 1 one two
