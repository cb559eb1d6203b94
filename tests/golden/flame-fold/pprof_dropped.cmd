# What go tool pprof -raw says of the same profiles, folded.
cat >fold.awk <<'END'
/^Locations/ { places = 1; next }
/^Mappings/ { exit }
!places && /^ *[0-9]+:/ { w[++n] = $1 + 0; $1 = ""; ids[n] = $0 }
places { i = 1
	if ($1 ~ /^[0-9]+:$/) { id = $1 + 0; i = 4 }
	name = $i; for (k = i + 1; $k !~ /^:/; k++) name = name " " $k
	frames[id] = frames[id] == "" ? name : name ";" frames[id] }
END { for (s = 1; s <= n; s++) { m = split(ids[s], of, " "); line = ""
	for (k = m; k; k--) line = line (line == "" ? "" : ";") frames[of[k]]
	sum[line] += w[s] }
	for (line in sum) printf "%s %.0f\n", line, sum[line] }
END
for name in drop drop-keep
do
	awk -f fold.awk $DATA/pprof/$name.raw | sort >wanted
	flame-fold $DATA/pprof/$name.pb | sort | diff wanted - && echo "$name: same"
done
flame-fold $DATA/pprof/drop-keep.pb
# Of an expression that is none, nothing is left out, as with --unpruned.
flame-fold $DATA/pprof/drop-bad.pb >all && flame-fold --unpruned $DATA/pprof/drop.pb | cmp - all
# A packed profile may follow; packed within packed has an end.
cp $DATA/pprof/drop-bad.pb deep
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	gzip -nc deep >packed
	mv packed deep
	[ $i -ne 2 ] || cat $DATA/pprof/drop-bad.pb deep | flame-fold -q >twice
done
awk '{ n[FILENAME] += $NF } END { print n["twice"] / n["all"] }' all twice
cat $DATA/pprof/drop-bad.pb deep | flame-fold -q >deeper
echo $?
