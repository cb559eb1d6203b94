flame-diff before
