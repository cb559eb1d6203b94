# Thousands of siblings are sorted by keys of eight bytes, of which many are
# equal; 4095 stacks fill the table of them to its end.
siblings() {
	awk -v n="$1" -v below="$2" 'BEGIN {
		for (i = 0; i < n; i++)
			printf "java/util/%s%d%s%s 1\n",
			       i % 3 ? "HashMap$Node" : "concurrent/Task",
			       i * 7919 % n, i % 5 ? "" : "_[j]",
			       i % 2 ? "" : below
	}' </dev/null
}
siblings 4095 '' >one
flame-fold -q one | sort -c && flame-fold -q one | wc -l | tr -d ' '
siblings 9000 ';leaf' >two
flame-fold -q two | sort -c && flame-fold -q two | wc -l | tr -d ' '
flame-diff --quiet --normalize=none -f folded one two | sort -c && echo sorted
