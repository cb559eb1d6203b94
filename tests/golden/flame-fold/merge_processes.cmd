cat >in <<'END'
process 7:"daemon.py";process 8:"daemon.py";thread (8): MainThread;f 1
process 7:"daemon.py";process 9:"daemon.py";thread (9): MainThread;f 2
process 7:"daemon.py";process 9:"daemon.py";thread (10): Pool-1;f 4
END
flame-fold --merge-processes in
