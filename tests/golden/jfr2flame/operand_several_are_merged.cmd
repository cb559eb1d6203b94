sum() { awk '{ n += $NF } END { printf "%d lines, %.0f\n", NR, n }'; }
f=data/jfr
jfr2flame -q --cpu $f/spark-trace.jfr $f/spark-multichunk.jfr $f/jdk17-profile.jfr.gz out.collapsed
sum <out.collapsed
for i in spark-trace.jfr spark-multichunk.jfr jdk17-profile.jfr.gz
do
	jfr2flame -q --cpu --collapsed $f/$i
done | sum
ls
