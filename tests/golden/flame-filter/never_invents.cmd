for filter in '--keep a' '--drop a' '--root a' '--root-innermost a' \
	'--root a --root-keep-rest' '--label file=/./' '--label thread=/./' \
	'--cut a' '--hide a' '--collapse-recursion' '--skip 1' '--depth 1' \
	--reverse --simple --dot --norm --no-tiers '--rename s/a//' \
	'--tidy java-lambdas,go' '--min 50%' '--by path=x' '--by pid'
do
	printf '%s ' "$filter"
	printf 'a;a;b 1\nb;a;c 2\nc 4\n' | flame-filter -q --empty ok $filter |
		awk '{ n += $NF } END { print n + 0 }'
done
