#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# smoke.sh PAGE.html [HASH [TEXT]...]: opens a page (or http://) in a Chromium and
# looks whether its script ran under its policy and drew: the still picture is
# gone, the sum is shown, nothing was refused, and the texts (as grep has them)
# stand in the document.  77: no Chromium here.
#
#	smoke.sh page.html v=tree 'role="row"' 'aria-level="2"'

set -u
page=$1 hash=${2-}
shift $(($# > 1 ? 2 : 1))
browser=${CHROMIUM-$(command -v chromium || command -v chromium-browser)}
[ -n "$browser" ] || exit 77
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

case $page in
http:*)	url=$page;;
*)	url=file://$(realpath "$page");;
esac
"$browser" --headless --no-sandbox --disable-gpu --disable-quic \
	--no-first-run --disable-background-networking \
	--disable-component-update --disable-sync \
	--user-data-dir="$work/profile" --enable-logging=stderr \
	--virtual-time-budget=5000 --dump-dom "$url#$hash" \
	> "$work/dom" 2> "$work/log"

fail() {
	echo "$page: $1" >&2
	grep CONSOLE "$work/log" >&2
	exit 1
}
grep -q CONSOLE "$work/log" && fail "the console is not empty"
grep -q 'id="first"' "$work/dom" && fail "the script did not come to its end"
grep -q 'id="info">[^<]*frames' "$work/dom" || fail "the sum is not shown"
grep -q '<canvas[^>]* width=\|<div[^>]* role="row"' "$work/dom" ||
	fail "nothing was drawn"
for text
do
	grep -q -e "$text" "$work/dom" || fail "without $text"
done
exit 0
