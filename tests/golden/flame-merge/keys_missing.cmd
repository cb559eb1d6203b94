printf 'app\tstage-1\tmain;a\t3\napp\tmain;a\t4\nmain;a\t5\n' | flame-merge --key 2
