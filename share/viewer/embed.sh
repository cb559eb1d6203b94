#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Puts the viewer into a C file: embed.sh SOURCE_DIR OUTPUT.c
#
# bundle.awk makes one script of the page's modules, gzip packs it, and
# loader.js unpacks it in the browser.  The hashes of both scripts and styles are
# for the page's policy, so nothing else may run in it.  Needs sed, awk, gzip,
# base64, sha256sum and od.

set -eu
export LC_ALL=C
from=$1 to=$2
work=$to.tmp.$$
trap 'rm -rf "$work"' EXIT
mkdir -p "$work"

# Without comments, which have lines of their own, and indentation.
bare() {
	sed '/^[[:blank:]]*\/\*.*\*\/$/d
		/^[[:blank:]]*\/\*/,/\*\//d
		s/^[[:blank:]]*//
		/^$/d' "$1"
}

# bundle ENTRY [REPLACE]
bundle() {
	${AWK-awk} -f "$from/bundle.awk" -v from="$from" -v entry="$1" \
		-v replace="${2-}"
}

# A style in one line, without needless blanks and digits.
one_line() {
	sed 's/ *\([{};,>]\) */\1/g; s/ + /+/g; s/\([a-z-]\): /\1:/g; s/;}/}/g
		s/ !/!/g; s/) \([0-9]\)/)\1/g; s/::\([abf][ief]\)/:\1/g
		s/\([ :(]\)0\./\1./g' | tr -d '\n'
	echo
}

# The script of a page, which adds the style and makes the markup first.
script() {
	echo '"use strict"; {'
	# Pages of --split have the style in a file.
	echo 'if (!document.querySelector("link")) {'
	echo 'const style = document.createElement("style");'
	printf 'style.textContent = `'
	tr -d '\n' < "$work/style"
	printf '`;\ndocument.head.append(style);\n}\n'
	printf 'document.body.insertAdjacentHTML("afterbegin", `'
	bare "$from/body.html"
	echo '`);'
	bundle main "$1"
	echo '}'
}

# The policy wants base64 of the raw hash.
hash() {
	for byte in $(sha256sum "$1" | sed 's/ .*//; s/../0x& /g')
	do
		printf "\\$(printf %03o "$byte")"
	done | base64
}

# Base 85, four bytes in five digits: "(" to "|", with "!" for "<".  Zeros
# that fill up the last four are counted by as many "(" at the end.
base85() {
	od -An -v -tu1 "$1" | awk '
		BEGIN {
			for (i = 0; i < 85; i++)
				digit[i] = sprintf("%c", i + 40)
			digit[20] = "!"
		}
		function put(v,  text, i) {
			for (i = 0; i < 5; i++) {
				text = digit[v % 85] text
				v = int(v / 85)
			}
			printf "%s", text
		}
		{
			for (i = 1; i <= NF; i++) {
				v = v * 256 + $i
				if (++n % 4 == 0) {
					put(v)
					v = 0
				}
			}
		}
		END {
			for (; n % 4; n++) {
				v *= 256
				pad = pad "("
			}
			if (pad)
				put(v)
			printf "%s", pad
		}'
}

bytes() {
	printf 'static const char %s[] = {\n' "$1"
	od -An -v -tu1 "$2" | sed 's/  *\([0-9]\)/\1/; s/  */,/g; s/$/,/'
	printf '0 };\n'
}

bare "$from/style.css" | one_line | tr -d '\n' > "$work/style"
bare "$from/first.css" | one_line | tr -d '\n' > "$work/first_style"
cat "$work/first_style" "$work/style" > "$work/all_styles"
no_time='time=notime flame_chart=notime'
script "diff=nodiff $no_time" > "$work/plain"
script "$no_time" > "$work/compared"
script '' > "$work/timed"
for part in plain compared timed
do
	gzip -9n < "$work/$part" > "$work/gzip"
	base85 "$work/gzip" > "$work/${part}_packed"
done
bundle loader > "$work/loader"
bare "$from/svg.css" | one_line > "$work/svg_style"
{
	echo '(function () {'
	echo '"use strict";'
	bundle svg
	echo '})();'
} > "$work/svg_script"
if grep -i '</\(script\|style\)' "$work/loader" "$work/first_style"; then
	echo "$0: a module ends its own element" >&2
	exit 1
fi
if grep -F -e '`' -e '\' "$work/style"; then
	echo "$0: the script cannot hold this as a text" >&2
	exit 1
fi
if grep -F -e ']]>' -e '<' "$work/svg_style" || grep -F ']]>' "$work/svg_script"
then
	echo "$0: no XML may hold this" >&2
	exit 1
fi

{
	echo '/* Made by share/viewer/embed.sh. */'
	echo '#include "draw/draw.h"'
	for part in loader plain_packed compared_packed timed_packed timed \
		first_style all_styles svg_script svg_style
	do
		bytes "$part" "$work/$part"
	done
	echo 'const struct fl_viewer fl_viewer = {'
	for part in plain compared timed
	do
		echo "	.$part = { ${part}_packed,"
		echo "		\"sha256-$(hash "$work/$part")\" },"
	done
	echo '	.script = timed,'
	echo '	.loader = loader, .first_style = first_style, .style = all_styles,'
	echo '	.svg_script = svg_script, .svg_style = svg_style,'
	echo "	.loader_hash = \"sha256-$(hash "$work/loader")\","
	echo "	.first_hash = \"sha256-$(hash "$work/first_style")\","
	echo "	.style_hash = \"sha256-$(hash "$work/style")\","
	echo '};'
} > "$work/c"
mv "$work/c" "$to"
