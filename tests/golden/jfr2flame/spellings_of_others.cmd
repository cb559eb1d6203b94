# What other versions and tools call a format, an event or a choice.
in=data/jfr/spark-cpu-wall.jfr
jfr2flame -q --cpu $in >page
for how in '-e cpu' '-o flamegraph' '-o FLAMEGRAPH' '-f HTML' '-o heatmap' \
	'-o html --samples' '-f html --cpu --time'
do
	jfr2flame -q $how $in | cmp - page || echo "$how"
done
jfr2flame -q -f Collapsed -e wall $in | awk '{ n += $NF } END { print n }'
jfr2flame -q -o pb.gz $in >x.pb.gz
flame-fold -q x.pb.gz | awk '{ n += $NF } END { print n }'
# A device by -o, as after the inputs.
jfr2flame -q -o /dev/full $in
echo $?
jfr2flame -q --collapsed -o /dev/stdout $in | awk '{ n += $NF } END { print n }'
