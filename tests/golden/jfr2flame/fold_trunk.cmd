# Runs of calls that only lead on are one box, and the sum is the same.
jfr2flame -q --fold-trunk $DATA/jfr/spark-cpu-wall.jfr folded.svg
jfr2flame -q $DATA/jfr/spark-cpu-wall.jfr all.svg
grep -c '<title>' all.svg folded.svg
for file in all.svg folded.svg
do
	flame-fold "$file" | awk '{ n += $NF } END { print n }'
done
