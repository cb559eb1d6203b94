# Each pod's dump has one thread with a stack; exec-1's in stern-cut.log is cut.
flame-fold --by pod,container data/logs/kubectl-prefix.log
flame-fold --by pod data/logs/stern-cut.log
flame-fold --by container data/logs/compose-go.log
flame-fold --by pod data/logs/loki.json
