# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# For tests that ask flame mcp by the SDK, which comes from PyPI; they work in
# an empty folder.
. "$TOP/tests/tap.sh"
: "${BUILD:=$TOP/build}"
export LC_ALL=C.UTF-8 TOP BUILD
PATH=$TOOLS:$BUILD/tools:$BUILD/tests/mk:$PATH
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
trap 'exit 99' HUP INT TERM
cd "$work" || exit 99
store=${FLAME_CONSUMERS:-$work/store}
mkdir -p "$store" || exit 99
. "$TOP/tests/fetch.sh"
have python3 || skip_all 'no python3'
python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))' ||
	skip_all 'the SDK needs Python 3.10'
# Both tests may begin at once.
(
	! have flock || flock 9
	fetch mcp python3 pip_into mcp 'mcp>=2,<3'
) 9>"$store/mcp.lock"
[ ! -e "$store/mcp.why" ] || skip_all "mcp: $(cat "$store/mcp.why")"

export PYTHONPATH=$TOP/share/python:$store/mcp PYTHONDONTWRITEBYTECODE=1

# by PROGRAM ARGUMENT...: what it reports, a name, a tab, and what is wrong.
by() {
	python3 "$TOP/tests/assistant/$1" "${@:2}" >"$work/tap" \
		2>"$work/errors" || bad "$1" "$(tail -n 3 "$work/errors")"
	while IFS='	' read -r name why; do
		verdict "$name" "$why"
	done <"$work/tap"
}
