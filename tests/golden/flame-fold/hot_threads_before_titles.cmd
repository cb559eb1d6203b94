# Elasticsearch 1: nodes in brackets, and no line with the time.
flame-fold --by node,thread <<'END'
::: [vm1 C][KH18][vm1.example.com][inet[vm1.example.com/10.0.0.1:9300]]{data=false}
   
    0.4% (1.8ms out of 500ms) cpu usage by thread 'es[vm1 C][T#1]{New I/O worker #15}'
     9/10 snapshots sharing following 2 elements
       sun.nio.ch.EPollArrayWrapper.epollWait(Native Method)
       java.lang.Thread.run(Thread.java:745)
     unique snapshot
       org.example.Merge.doMerge(Merge.java:12)
       java.lang.Thread.run(Thread.java:745)

END
