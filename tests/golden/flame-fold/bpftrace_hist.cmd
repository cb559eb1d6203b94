flame-fold --event lat $DATA/bpftrace/hist.txt
flame-fold --event st $DATA/bpftrace/hist.txt
# The sum of buckets, and of totals.
awk '/\|$/ { sub(/^[[(][^])]*[])]/, ""); n += $1 } / total / { t += $NF } END { print n, t }' $DATA/bpftrace/hist.txt
