#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Puts the viewer into a C file: embed.sh SOURCE_DIR OUTPUT.c
# Comments and indentation go; the page's policy names the hashes of what is
# left, so nothing else may run in it.  Needs awk, od, sha256sum, base64.

set -eu
export LC_ALL=C
from=$1 to=$2
work=$to.tmp.$$
trap 'rm -rf "$work"' EXIT
mkdir -p "$work"

bare() {
	cat "$@" | awk '
		/^[ \t]*\/\*/ { inside = 1 }
		inside { if (/\*\//) inside = 0; next }
		/^[ \t]*\/\/ / { next }
		{ sub(/^[ \t]+/, "") }
		length'
}

# The policy wants base64 of the raw hash.
hash() {
	sum=$(sha256sum "$1" | awk '
		{
			for (i = 1; i < 65; i += 2) {
				h = index("0123456789abcdef", substr($1, i, 1))
				l = index("0123456789abcdef",
					substr($1, i + 1, 1))
				printf "\\%03o", 16 * (h - 1) + l - 1
			}
		}')
	printf "$sum" | base64
}

bytes() {
	printf 'static const char %s[] = {\n' "$1"
	od -An -v -tu1 "$2" | sed 's/  *\([0-9]\)/\1/; s/  */,/g; s/$/,/'
	printf '0 };\n'
}

{
	echo '(function () {'
	echo '"use strict";'
	for module in data caption view draw search page; do
		bare "$from/$module.js"
	done
	echo '})();'
} > "$work/script"
bare "$from/style.css" > "$work/style"
bare "$from/body.html" > "$work/body"
if grep -i '</\(script\|style\)' "$work/script" "$work/style"; then
	echo "$0: a module ends its own element" >&2
	exit 1
fi

{
	echo '/* Made by share/viewer/embed.sh. */'
	echo '#include "draw/draw.h"'
	for part in script style body; do
		bytes "$part" "$work/$part"
	done
	echo 'const struct fl_viewer fl_viewer = {'
	echo "	.style = style, .script = script, .body = body,"
	echo "	.style_hash = \"sha256-$(hash "$work/style")\","
	echo "	.script_hash = \"sha256-$(hash "$work/script")\","
	echo '};'
} > "$work/c"
mv "$work/c" "$to"
