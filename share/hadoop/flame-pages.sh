#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Draws what a Hadoop Streaming job has left: a page and its folded stacks for
# each value of the columns before the metric.
#
#	hdfs dfs -cat PARTS/part-* | flame-pages.sh SITE [OPTION of flame-graph...]
#
# FLAME_KEY: the columns, as the mapper had them (app,stage,metric).
set -e
site=$1
shift
mkdir -p "$site"
LC_ALL=C
export LC_ALL
key=${FLAME_KEY-app,stage,metric}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# One file a page, in the order of its first line; "TITLE" in FILE.title.
# Names as flame-batch has them: no header is in all of the parts.
tr -d '\r' | awk -v key="$key" -v work="$work" '
BEGIN {
	FS = "\t"
	n = split(key, names, ",")
	for (i = 1; i <= n; i++)
		sub(/=.*/, "", names[i])
}
/^# / {
	if (!header)
		header = $1
	next
}
{
	group = title = ""
	for (i = 1; i < n; i++) {
		group = group $i FS
		if ($i != "[no " names[i] "]")
			title = title (title == "" ? "" : " ") \
				(names[i] == "app" ? "" : names[i] " ") $i
	}
	if (!(group in file)) {
		file[group] = sprintf("%s/%06d", work, ++files)
		print (title == "" ? "all" : title) >(file[group] ".title")
		close(file[group] ".title")
	}
	if (file[group] != last && last != "")
		close(last)
	last = file[group]
	sub(/\t$/, "")
	print >>last
}
END { print header >(work "/header") }'

for title in "$work"/*.title
do
	[ -e "$title" ] || break
	name=$(tr ' ' '-' <"$title" | tr -c 'A-Za-z0-9._@+\n-' _ | cut -c1-120)
	lines=${title%.title}
	{
		cat "$work/header"
		sort "$lines"
	} >"$work/sorted"
	flame-fold -q --key "${key%,*},metric" -o "$site/$name.folded.zst" \
		"$work/sorted"
	flame-graph -q -f html --events all --title "$(cat "$title")" "$@" \
		-o "$site/$name.html" "$site/$name.folded.zst"
	printf '%s.html\n' "$name"
done
