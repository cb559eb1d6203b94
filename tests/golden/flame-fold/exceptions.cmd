# Each exception once, by its first cause.
for log in java python spark; do
	flame-fold --by exception,level,logger,thread $DATA/exceptions/$log.txt 2>&1 || echo $?
done
flame-fold --event list $DATA/exceptions/java.txt
flame-fold --lines $DATA/exceptions/java.txt
# As many as begin there, and their frames.
grep -c '^[jE].*Exception' $DATA/exceptions/java.txt
grep -c '^Traceback' $DATA/exceptions/python.txt
# Frames: one function is in both tracebacks of a chain.
awk '/ line .* in / { n++ } /repeated/ { n += $4 } END { print n }' $DATA/exceptions/python.txt
flame-fold $DATA/exceptions/python.txt | awk -F';' '{ split($NF, w, " "); n += NF * w[3] } END { print n }'
# Of two pods, among each other.
sed 's/^/[pod\/exec-1\/spark] /' $DATA/exceptions/java.txt > one
sed 's/^/[pod\/exec-2\/spark] /' $DATA/exceptions/spark.txt > two
paste -d '\n' one two | grep . | flame-fold --by pod,level --depth 3
# A log that ends within one.
head -n 5 $DATA/exceptions/java.txt | head -c -9 | flame-fold 2>&1
# No exceptions: a line of a stack alone, JavaScript's, .NET's.
printf '\tat a.b.C.d(C.java:1)\n' | flame-fold 2>&1 | cut -c 1-60
printf 'TypeError: x\n    at foo (/srv/a.js:1:2)\n' | flame-fold 2>&1 | cut -c 1-60
printf 'System.Exception: x\n   at A.B.c(String s) in C:\\a.cs:line 2\n' | flame-fold 2>&1 | cut -c 1-60
