cat >in <<'END'
process 7:"daemon.py";process 8:"daemon.py";thread (8): MainThread;f 1
process 7:"daemon.py";process 9:"daemon.py";thread (9): MainThread;f 2
process 7:"daemon.py";process 9:"daemon.py";thread (10): Pool-1;f 4
END
flame-fold --thread Pool in
flame-fold --by tid --root f in
# It is there already.
flame-fold --threads in
flame-fold --threads --root f in
# Python's own number, where py-spy has no other.
echo 'thread (0x7F1A): Pool-2;f 8' | flame-fold --by tid
