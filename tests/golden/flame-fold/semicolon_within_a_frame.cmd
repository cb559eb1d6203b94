flame-fold <<'END'
process 42:"sh -c "a; b"";thread (43): MainThread;f (x.py:3) 1
m;<[u8; 8] as Hash>::hash;n 2
m;x.f(Ljava/lang/String;ILa/B;)V;n 3
m;A::operator<<;a->b;<init>;operator> 4
END
