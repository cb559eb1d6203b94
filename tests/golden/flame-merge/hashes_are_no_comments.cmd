printf '#\n# c;d 4\n#[x] 2\n#h;a 1\n' >one
flame-fold one >two
flame-merge one two
