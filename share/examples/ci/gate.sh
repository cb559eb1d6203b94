#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Whether a change made a job slower, of several runs before it and after it:
#
#	gate.sh [-n RUNS] [-l LIMIT] [-o FOLDER] BEFORE AFTER
#
# BEFORE and AFTER are commands for the shell that run the job once and write
# its profile, in any format, to the file "$PROFILE".  They alternate, so that
# a machine that gets warmer or busier slows both.  RUNS: 10 unless given;
# LIMIT: 3%, or 3%,RE for frames that match.
#
# FOLDER (gate) then has before/ and after/ with the profiles, comment.md for
# the change, report.json, and diff.html, which shows the sums.
#
# Exit status: 0 nothing grew by the limit, 1 something did, 3 so few runs are
# not enough, 2 something went wrong.
set -u
runs=10 limit=3% folder=gate
while getopts n:l:o: option
do
	case $option in
	n) runs=$OPTARG ;;
	l) limit=$OPTARG ;;
	o) folder=$OPTARG ;;
	*) exit 2 ;;
	esac
done
shift $((OPTIND - 1))
if [ $# -ne 2 ]; then
	echo 'usage: gate.sh [-n RUNS] [-l LIMIT] [-o FOLDER] BEFORE AFTER' >&2
	exit 2
fi

# one SIDE NUMBER COMMAND: the output of the job goes to the log.
one() {
	PROFILE=$folder/$1/$2
	export PROFILE
	sh -c "$3" >&2 && [ -s "$PROFILE" ] && return
	echo "gate.sh: run $2 $1 the change left no profile in $PROFILE" >&2
	exit 2
}

rm -rf "$folder/before" "$folder/after"
mkdir -p "$folder/before" "$folder/after" || exit 2
# The job may go elsewhere.
folder=$(cd "$folder" && pwd) || exit 2
run=1
while [ "$run" -le "$runs" ]
do
	number=$(printf %03d "$run")
	one before "$number" "$1"
	one after "$number" "$2"
	run=$((run + 1))
done

flame-diff --quiet -o "$folder/diff.html" "$folder/before" "$folder/after"
flame-diff --quiet --runs --gate "$limit" -f json -o "$folder/report.json" \
	"$folder/before" "$folder/after"
flame-diff --quiet --runs --gate "$limit" -f markdown \
	-o "$folder/comment.md" "$folder/before" "$folder/after"
status=$?
[ ! -s "$folder/comment.md" ] || cat "$folder/comment.md"
exit "$status"
