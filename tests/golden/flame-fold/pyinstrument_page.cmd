flame-fold $DATA/pyinstrument/page.html
# All of the time that it counts.
flame-fold $DATA/pyinstrument/page.html | awk '{ n += $NF } END { print n }'
sed -n 's/.*"frame_tree": {[^}]*"time": \([0-9.]*\),.*/\1/p' $DATA/pyinstrument/page.html | cut -c 1-8
head -c 12000 $DATA/pyinstrument/page.html | flame-fold 2>&1 | tail -n 2
