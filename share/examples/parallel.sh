#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
#	parallel.sh LIST FOLDER [OPTION...]
#
# The same as xargs.sh with GNU parallel: a part whose process is killed is
# tried again, and with --sshlogin parts run on other machines.
set -eu
list=$1 folder=$2
shift 2
mkdir -p "$folder"
rm -f "$folder"/part-*.folded.zst
parts=$(($(getconf _NPROCESSORS_ONLN) * 4))
export list folder parts

awk -v n="$parts" 'BEGIN { for (i = 0; i < n; i++) print i }' |
	parallel -q --retries 3 --halt soon,fail=1 sh -c '
		i=$1
		shift
		awk -v n="$parts" -v i="$i" "NR % n == i" "$list" |
			flame-fold -j 1 --header --report text "$@" \
				--paths-from - -o "$folder/part-$i.folded.zst"
	' sh '{}' "$@"

flame-merge -o "$folder/job.folded" "$folder"/part-*.folded.zst
flame-graph -o "$folder/job.html" "$folder/job.folded"
