# What there is to choose from comes in the order of inputs, however many
# threads read.
cat >calls <<'END'
Call graph:
    7 Thread_1
      7 main  (in a)

Total number in stack:
END
cat >dtrace <<'END'

              a`main
                7

END
cat >threads <<'END'
Thread 1 (LWP 7):
#0  0x0000000000401136 in main () at a.c:3

END
cp data/jfr/spark-lock.jfr a.jfr
cp data/jfr/spark-trace.jfr b.jfr
for j in 1 2 3 8
do
	flame-fold --collapse-recursion -j $j a.jfr b.jfr calls threads dtrace \
		2>&1 | cksum
done | uniq -c | awk '{ print $1 }'
flame-fold a.jfr b.jfr calls threads dtrace 2>&1 >/dev/null
