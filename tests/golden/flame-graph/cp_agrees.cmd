# The picture that begins a palette.map and the one that uses its colours
# agree,
# in light and in dark, with the legend.
for colors in '' '--colors java' '--colors classic-hot'; do
	for n in 1 2; do
		flame-graph -q $colors --cp -o $n.svg \
			data/jfr/spark-cpu-wall.jfr
	done
	cmp 1.svg 2.svg && grep -c '>compiled<' 2.svg || true
	rm palette.map
done
# A map with other colours than the scheme's has no legend for them.
printf 'a_[j]->rgb(1,2,3)\nb_[k]->rgb(4,5,6)\n' >palette.map
printf 'a_[j] 1\nb_[k] 1\n' | flame-graph --cp | grep -c '>kernel<' || true
