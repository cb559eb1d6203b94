for compat in '' '--compat perl' '--compat inferno'
do
	echo 'a/B.m;La/b/C:::m;x/Y$$Lambda$9/0x00007f8177090218.run 1' |
		flame-graph $compat | sed -n 's/.*<title>\([^ ]*\) .*/\1/p'
done
