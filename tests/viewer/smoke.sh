#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# smoke.sh PAGE.html: opens a page in a headless Chromium and looks whether
# its script ran under its policy and drew: the still picture is gone, the
# sum is told, and nothing was refused.  77: no Chromium here.

set -u
page=$1
browser=${CHROMIUM:-$(command -v chromium || command -v chromium-browser)}
[ -n "$browser" ] || exit 77
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$browser" --headless --no-sandbox --disable-gpu --disable-quic \
	--no-first-run --disable-background-networking \
	--disable-component-update --disable-sync \
	--user-data-dir="$work/profile" --enable-logging=stderr \
	--virtual-time-budget=5000 --dump-dom "file://$(realpath "$page")" \
	> "$work/dom" 2> "$work/log"

fail() {
	echo "$page: $1" >&2
	grep CONSOLE "$work/log" >&2
	exit 1
}
grep -q CONSOLE "$work/log" && fail "the console is not empty"
grep -q 'id="first"' "$work/dom" && fail "the script did not come to its end"
grep -q 'id="info">[^<]*frames' "$work/dom" || fail "the sum is not told"
grep -q '<canvas[^>]* width=' "$work/dom" || fail "nothing was drawn"
exit 0
