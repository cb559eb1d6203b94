# Hot threads of two nodes: what grep counts of the snapshots is the sum.
cat >hot.txt <<'END'
::: {node-1}{aBcDeFg}{x1y2z3}{node-1}{10.0.0.1}{10.0.0.1:9300}{cdfhilmrstw}
   Hot threads at 2026-02-14T00:30:31.123Z, interval=500ms, busiestThreads=3, ignoreIdleThreads=true:
   
   95.6% [cpu=95.0%, other=0.6%] (478.1ms out of 500ms) cpu usage by thread 'es[node-1][search][T#5]'
     7/10 snapshots sharing following 2 elements
       app//org.example.Searcher.search(Searcher.java:700)
       java.base@17.0.1/java.lang.Thread.run(Thread.java:833)
     2/10 snapshots sharing following 1 elements
       java.base@17.0.1/java.lang.Thread.run(Thread.java:833)
     unique snapshot
       app//org.example.Scorer$$Lambda$9/0x00007f12.score(Unknown Source)
       java.base@17.0.1/java.lang.Thread.run(Thread.java:833)

::: {node-2}{hIjKl}{10.0.0.2}{10.0.0.2:9300}
   Hot threads at 2026-02-14T00:30:32.000Z, interval=500ms, busiestThreads=3, ignoreIdleThreads=true:
   
   12.0% (60ms out of 500ms) block usage by thread 'main'
     10/10 snapshots sharing following 1 elements
       java.base@17.0.1/java.lang.Object.wait(Native Method)
END
flame-fold hot.txt
flame-fold -q --by node hot.txt
flame-fold -q --by thread hot.txt
flame-fold -q hot.txt | awk '{ n += $NF } END { print n }'
sed -n 's,^ *\([0-9]*\)/10 snap.*,\1,p; s/^ *unique snapshot/1/p' hot.txt |
	awk '{ n += $1 } END { print n, "by sed" }'
flame-fold -q --from 2026-02-14T00:30:32Z hot.txt
flame-fold --event list hot.txt
echo 'cut within a frame, and a line that is none'
head -c 700 hot.txt | flame-fold --partial ok
sed '7s/.*/       what is this/' hot.txt | flame-fold | tail -n 1
