#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
#	xargs.sh LIST FOLDER [OPTION...]
#
# Folds the inputs of LIST, a process for each CPU, and leaves job.folded and
# job.html in FOLDER.  Options are flame-fold's.
set -eu
list=$1 folder=$2
shift 2
cpus=$(getconf _NPROCESSORS_ONLN)
mkdir -p "$folder"
rm -f "$folder"/part-*.folded.zst

# More parts than processes: they end at about the same time.
parts=$((cpus * 4))
export list folder parts
awk -v n="$parts" 'BEGIN { for (i = 0; i < n; i++) print i }' |
	xargs -P "$cpus" -I '{}' sh -c '
		i=$1
		shift
		awk -v n="$parts" -v i="$i" "NR % n == i" "$list" |
			flame-fold -j 1 --header --report text "$@" \
				--paths-from - -o "$folder/part-$i.folded.zst"
	' sh '{}' "$@"

flame-merge -o "$folder/job.folded" "$folder"/part-*.folded.zst
flame-graph -o "$folder/job.html" "$folder/job.folded"
