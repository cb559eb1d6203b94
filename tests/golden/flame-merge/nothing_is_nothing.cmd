flame-merge
