flame-merge --empty ok
