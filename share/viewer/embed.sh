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

# Blanks and line ends that say nothing to JavaScript, as every statement has
# its semicolon.  Strings and regular expressions end in the line they begin
# in; there are no templates.  What is const is so for the reader.
tight() {
	awk '
		# The end of what opens at i and ends with a quote or slash.
		function skip(i, ends,  c, class) {
			while ((c = substr($0, ++i, 1)) != "") {
				if (c == "\\")
					i++
				else if (c == "[" && ends == "/")
					class = 1
				else if (c == "]")
					class = 0
				else if (c == ends && !class)
					return i
			}
			exit 1
		}
		# Semicolons and commas wait: before a bracket they go.
		function put(s) {
			if ((last == ";" && s != "}") ||
			    (last == "," && s !~ /^[])}]/))
				printf "%s", last
			if (s !~ /^[;,]$/)
				printf "%s", s
			last = substr(s, length(s))
		}
		{
			first = substr($0, 1, 1)
			if (last ~ /[A-Za-z0-9_$]/ &&
			    first ~ /[A-Za-z0-9_$]/ ||
			    last ~ /[+-]/ && first == last)
				put("\n")
			for (i = 1; i <= length; i++) {
				c = substr($0, i, 1)
				more = substr($0, i + 1, 1)
				if (c == "/" && more == "/")
					break
				if (c == "\"" || c == "\047" || (c == "/" &&
				    (last == "" ||
				     last ~ /[(,=:[!&|?{};>\n]/))) {
					j = skip(i, c)
					put(substr($0, i, j - i + 1))
					i = j
				} else if (substr($0, i, 6) == "const " &&
					   last !~ /[A-Za-z0-9_$.]/) {
					put("let")
					i += 4
				} else if (c !~ /[ \t]/ ||
					   (last ~ /[A-Za-z0-9_$]/ &&
					    more ~ /[A-Za-z0-9_$]/) ||
					   (last ~ /[+-]/ && more == last)) {
					put(c)
				}
			}
		}
		END { put("\n") }'
}

# What JavaScript and browsers call so; the next function leaves it alone.
theirs='Array Blob DOMMatrix DOMParser Date DecompressionStream Error
Float32Array Float64Array Infinity Int32Array Int8Array JSON Map Math
Number Object RegExp ResizeObserver Response Set String TextDecoder
TextEncoder URL URLSearchParams Uint16Array Uint32Array Uint8Array addEventListener
arguments async atob await break cancelAnimationFrame case catch
clearTimeout continue delete devicePixelRatio do document else
encodeURIComponent false finally for function getComputedStyle history if in innerHeight innerWidth instanceof
let localStorage location matchMedia navigator new null parseInt
performance requestAnimationFrame return setTimeout switch this throw true try typeof
undefined while window'

# Properties that are only ours: neither a browser's nor told in a string.
ours='asTree base bins boughs clip cols colored column columns compares dim
dimText down drag due end facet facets given group heavy hi hit indent
inverted kids kinds level lined lo made marks matchText matched matching method
mode moments most name named names node open opens order own pages parent
picture preset rowHeight second sets shown sides slot spelling start step
sums tall text tick unfolded up wanted way whole x0 x1'

# The same, but a string has the word for something else: an id, a role.
apart='before by dark first heat icicle kind larger light line lines list mark
noise norm row rows samples steps tab time weight'

# Not localStorage: in a sandbox to name it is an error.
aliased='Array Float64Array Map Math Number Object URLSearchParams Uint8Array
Uint32Array addEventListener cancelAnimationFrame clearTimeout document encodeURIComponent
getComputedStyle history innerHeight innerWidth location
matchMedia performance requestAnimationFrame setTimeout undefined'

# Short names, and expressions for statements.
short() {
	awk -v theirs="$theirs" -v aliased="$aliased" -v ours="$ours" \
		-v apart="$apart" -f "$from/short.awk" -f "$from/names.awk" \
		-f "$from/once.awk" -f "$from/terse.awk" \
		-f "$from/arguments.awk"
}

# The same of a style, and of markup.  Colours that have names lose them.
tight_style() {
	sed 's/ *\([{};,>]\) */\1/g; s/ + /+/g; s/\([a-z-]\): /\1:/g; s/;}/}/g
		s/ !/!/g; s/) \([0-9]\)/)\1/g; s/::\([abf][ief]\)/:\1/g
		s/\([ :(]\)0\./\1./g' | tr -d '\n' | awk '{
			while (match($0, /--[a-z][a-z]+/)) {
				name = substr($0, RSTART, RLENGTH)
				found = gsub(name ":", "--" ++n ":")
				if (!found || !gsub(name "[)]", "--" n ")") ||
				    index($0, name))
					exit 1
			}
			print
		}'
}

tight_markup() {
	sed 's/="\([A-Za-z0-9-]*\)"/=\1/g; s/<\/option>//g' | tr -d '\n'
	echo
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

# The viewer: of pages that compare, and whose samples have times or threads.
script() {
	echo '"use strict"; {'
	for module in data fit rewrite bough view profiles draw search \
		"$1" tree pane "$2" export hand menu page; do
		bare "$from/$module.js"
	done
	echo '}'
}

script nodiff notime | tight | short > "$work/plain"
script diff notime | tight | short > "$work/compared"
script diff time | tight | short > "$work/timed"
bare "$from/style.css" | tight_style > "$work/style"
{
	echo '(function () {'
	echo '"use strict";'
	bare "$from/caption.js" "$from/fit.js" "$from/svg.js"
	echo '})();'
} | tight > "$work/svg_script"
bare "$from/svg.css" | tight_style > "$work/svg_style"
bare "$from/body.html" | tight_markup > "$work/body"
bare "$from/body.html" | sed '/<nav id="bar"/,/<\/nav>/d' | tight_markup \
	> "$work/plain_body"
if grep -i '</\(script\|style\)' "$work/plain" "$work/compared" \
	"$work/timed" "$work/style"
then
	echo "$0: a module ends its own element" >&2
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
	for part in plain compared timed style body plain_body svg_script \
		svg_style
	do
		bytes "$part" "$work/$part"
	done
	echo 'const struct fl_viewer fl_viewer = {'
	echo "	.style = style, .body = body, .plain_body = plain_body,"
	echo '	.svg_script = svg_script, .svg_style = svg_style,'
	echo "	.style_hash = \"sha256-$(hash "$work/style")\","
	for part in plain compared timed; do
		echo "	.$part = { $part, \"sha256-$(hash "$work/$part")\" },"
	done
	echo '};'
} > "$work/c"
mv "$work/c" "$to"
