flame-fold -q --from 2026-11-21T10:00:10 --lines data/jstack/sigquit-in-log.txt
flame-fold -q --to 10:00:05 --lines data/jstack/sigquit-in-log.txt
