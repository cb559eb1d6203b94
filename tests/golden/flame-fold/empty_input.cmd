flame-fold
