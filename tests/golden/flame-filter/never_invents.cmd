for filter in '--keep a' '--drop a' '--root a' '--root-innermost a' \
	'--cut a' '--hide a' '--collapse-recursion' '--skip 1' '--depth 1' \
	--reverse --simple --dot --norm --no-tiers
do
	printf '%s ' "$filter"
	printf 'a;a;b 1\nb;a;c 2\nc 4\n' | flame-filter $filter |
		awk '{ n += $NF } END { print n }'
done
