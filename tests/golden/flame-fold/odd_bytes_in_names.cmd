# NUL, DEL, a mark at the beginning, newlines and ";" in names of threads.
printf 'A::b;f\000oo@/x.php;c 4\nA::b;d 1\n' >nul
printf 'p\177q;r 3\n' >del
printf '\357\273\277m;n 2\n' >mark
printf 'm;n 5\n' >plain
flame-fold nul
flame-fold del
flame-merge mark plain
cat >dump <<'END'
2026-01-05 10:00:00
Full thread dump OpenJDK 64-Bit Server VM (21.0.2+13 mixed mode, sharing):

"one
two
three" #31 [900] prio=5 os_prio=0 cpu=1.00ms elapsed=3.32s tid=0x00007f08640ef320 nid=900 runnable  [0x00007f086850f000]
   java.lang.Thread.State: RUNNABLE
	at app.Job.run(Job.java:30)

"last" #32 [901] prio=5 os_prio=0 cpu=1.00ms elapsed=3.32s tid=0x00007f08640ef321 nid=901 runnable  [0x00007f086850e000]
   java.lang.Thread.State: RUNNABLE
	at app.Job.run(Job.java:31)

END
flame-fold --by thread dump
cat >pyspy <<'END'
process 7:"python3 -c a;b";thread (9): pool; {2};run (threading.py:982);work (jobs.py:3) 5
process 7:"python3 -c a;b";thread (7): MainThread;<module> (jobs.py:9) 1
END
flame-fold --by thread pyspy
