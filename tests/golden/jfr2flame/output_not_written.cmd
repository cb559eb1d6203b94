# Names of what other tools write: said, and nothing is read or written.
for name in page.heatmap trace.json picture.png out.xyz
do
	jfr2flame data/jfr/spark-lock.jfr $name >page
	echo $? $(wc -c <page)
done 2>&1
jfr2flame -o jfr data/jfr/spark-lock.jfr
