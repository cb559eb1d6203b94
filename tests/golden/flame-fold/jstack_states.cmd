flame-fold --by state data/jstack/sigquit-in-log.txt
