# One method, as perf's maps, recordings, thread dumps and agents spell it;
# names of other languages stay.
cat >in.folded <<'END'
Lorg/x/Main;::run;leaf 1
org/x/Main:::run;leaf 2
org/x/Main.run;leaf 4
org.x.Main.run;leaf 8
void org.x.Main.run(int, java.lang.String[]);leaf 16
app//org.x.Main.run;leaf 32
java.base@17.0.1/java.lang.Thread.run;leaf 1
java.lang.Thread.run;leaf 2
org.x.Main.run(Main.java:12);leaf 1
System.Threading.Thread.Run;leaf 1
numpy.random.Generator.integers;leaf 1
net/http.HandlerFunc.ServeHTTP;leaf 1
void foo::bar<int>(int);leaf 1
LazyCompile:*foo /srv/123.js:12_[j];leaf 1
lib/libc-2.31.so;leaf 1
END
flame-fold in.folded
echo
flame-fold --raw-names in.folded
# A thread dump and perf's text meet, merged and compared.
cat >dump.txt <<'END'
Full thread dump OpenJDK 64-Bit Server VM (17.0.15+6 mixed mode, sharing):

"main" #1 prio=5 os_prio=0 tid=0x00007f5e18001000 nid=0x7f5 runnable  [0x00007f5e3d1e0000]
   java.lang.Thread.State: RUNNABLE
	at org.x.Main.run(Main.java:12)

END
echo 'Lorg/x/Main;::run 1' >perf.folded
echo
flame-fold -q dump.txt perf.folded
flame-diff -q dump.txt perf.folded && echo same
