# The page /stacks of a NameNode: each thread that has frames once.
cat >stacks <<'END'
Process Thread Dump: jsp requested
4 active threads
Thread 42 (IPC Server handler 0 on 8020):
  State: WAITING
  Blocked count: 12
  Waited count: 3456
  Waiting on java.lang.Object@1f2e3d4c
  Stack:
    java.lang.Object.wait(Native Method)
    org.example.Queue.take(Queue.java:317)
    org.example.Server$Handler.run(Server.java:2966)
Thread 43 (IPC Server handler 1 (of 2)):
  State: RUNNABLE
  Blocked count: 2
  Waited count: 99
  Stack:
    org.example.Directory.lookUp(Directory.java:1700)
    org.example.Server$Handler.run(Server.java:2966)
Thread 44 (IPC Server handler 2 on 8020):
  State: BLOCKED
  Blocked count: 3
  Waited count: 1
  Blocked on java.lang.Object@1f2e3d4c
  Blocked by 43 (IPC Server handler 1 (of 2))
  Stack:
    org.example.Directory.lookUp(Directory.java:1699)
    org.example.Server$Handler.run(Server.java:2966)
Thread 5 (Signal Dispatcher):
  State: RUNNABLE
  Blocked count: 0
  Waited count: 0
  Stack:

END
flame-fold stacks
flame-fold -q --by state stacks
flame-fold -q --by thread --state BLOCKED stacks
echo 'in a log, twice, with lines of it between'
{
	echo '2026-02-14 10:00:00,001 INFO namenode.NameNode: slow start'
	cat stacks
	echo '2026-02-14 10:00:05,001 WARN Thread 7 (of the pool): gone'
	cat stacks
} >log
flame-fold log
echo 'cut'
head -n 20 stacks | head -c -5 | flame-fold --partial ok
