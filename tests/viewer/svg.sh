#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# svg.sh PICTURE.svg[#HASH] [STEP...]: opens a picture in a headless Chromium,
# does the steps in it, and prints what it then says of itself:
#
#	view "0 0 10 3"		the inner picture's viewBox
#	matched "Matched: 50.00%", tip "...", labels N, hash "#z=..."
#
# A step is click:NAME, key:KEY (ctrl+f, shift+n), type:TEXT, over:NAME.
# 77: no Chromium here.

set -u
picture=${1%%#*} hash=
case $1 in *'#'*) hash=#${1#*#} ;; esac
shift
browser=${CHROMIUM-$(command -v chromium || command -v chromium-browser)}
[ -n "$browser" ] || exit 77
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The steps go into a copy, after the picture's own script.
{
	sed '$d' "$picture"
	echo '<script><![CDATA['
	cat <<'JS'
const named = (name) => [...document.querySelectorAll("#frames rect")]
	.find((r) => r.textContent.startsWith(name + " ("));
function press(text) {
	const keys = text.split("+"), key = keys.pop();
	const box = document.activeElement;
	const at = box && box.id === "search" ? box : document.documentElement;
	at.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true,
		ctrlKey: keys.includes("ctrl"),
		shiftKey: keys.includes("shift") }));
}
const steps = {
	click: (name) => named(name).dispatchEvent(
		new MouseEvent("click", { bubbles: true, cancelable: true })),
	over: (name) => named(name).dispatchEvent(
		new MouseEvent("mouseover", { bubbles: true })),
	key: press,
	type: (text) => {
		const box = document.getElementById("search");
		box.value = text;
		box.dispatchEvent(new Event("input"));
	},
	wait: () => undefined,
};
async function run(list) {
	for (const step of list) {
		const at = step.indexOf(":");
		steps[step.slice(0, at)](step.slice(at + 1));
		await new Promise((done) => setTimeout(done, 50));
	}
	const of = (id) => document.getElementById(id);
	const tip = of("tip").style.display === "none" ? "" :
		of("tip").textContent;
	const said = document.createElementNS("http://www.w3.org/2000/svg",
		"desc");
	said.textContent = "\nsaid view " +
		of("frames").getAttribute("viewBox") +
		"\nsaid matched " + of("matched").textContent +
		"\nsaid tip " + tip +
		"\nsaid above " + document.querySelectorAll("#frames .above")
			.length +
		"\nsaid hits " + document.querySelectorAll("#frames .hit")
			.length +
		"\nsaid hash " + location.hash + "\n";
	document.documentElement.append(said);
}
JS
	printf 'run(['
	for step
	do
		printf '"%s",' "$(printf %s "$step" | sed 's/[\\"]/\\&/g')"
	done
	echo ']);]]></script></svg>'
} > "$work/picture.svg"

timeout 120 "$browser" --headless --no-sandbox --disable-gpu --disable-quic \
	--no-first-run --disable-background-networking \
	--disable-component-update --disable-sync \
	--user-data-dir="$work/profile" --enable-logging=stderr \
	--window-size=1220,900 --virtual-time-budget=9000 \
	--dump-dom "file://$work/picture.svg$hash" \
	> "$work/dom" 2> "$work/log"
grep -q CONSOLE "$work/log" && grep CONSOLE "$work/log"
sed -n 's/^said //p' "$work/dom" |
	sed 's/&gt;/>/g; s/&lt;/</g; s/&amp;/\&/g; s/ *$//'
