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
				     last ~ /[(,=:[!&|?{};\n]/))) {
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
theirs='Array Blob DOMMatrix DOMParser DecompressionStream Error
Float32Array Float64Array Int32Array JSON Map Math
Number Object RegExp ResizeObserver Response Set String TextDecoder URL
URLSearchParams Uint16Array Uint32Array Uint8Array addEventListener
arguments async atob await break cancelAnimationFrame case catch
clearTimeout continue delete devicePixelRatio do document else
encodeURIComponent false finally for function getComputedStyle history if in innerHeight innerWidth instanceof
let localStorage location matchMedia navigator new null of parseInt
performance requestAnimationFrame return setTimeout switch this throw true try typeof
undefined while window'

# Properties that are only ours: neither a browser's nor told in a string.
ours='asTree base column columns compares down due end hit indent inverted kids
level method mode most name names node open parent picture preset rowHeight
sides slot step sums tab tall text unfolded wanted way whole'

# Those, and all variables, get short names, the most frequent first.  A
# property of theirs that is named often, and a string, becomes a variable
# that holds it: .length is [a].  $("id") is $.id.
short() {
	awk -v theirs="$theirs" -v ours="$ours" '
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
		function add(s) {
			token[++n] = s
			last = substr(s, length(s))
		}
		# A brace that holds properties, not statements.
		function is_object() {
			return last ~ /[(,=:?[&|]/ || token[n] == "return" ||
				token[n] == "let"
		}
		# Whether a property is named here: "." of an object, "key"
		# with a value, "both" where a variable is named with it.
		function kind_of(more) {
			if (last == "." && token[n - 1] != ".")
				return "."
			if (substr(open, length(open)) != "o" ||
			    last !~ /[{,]/ || more !~ /[,}:(=]/)
				return "variable"
			return more ~ /[:(]/ ? "key" : "both"
		}
		function add_word(s, more) {
			kind[n + 1] = kind_of(more)
			is_word[n + 1] = 1
			if (!known[s]++)
				word[++nwords] = s
			add(s)
		}
		function add_string(s, more) {
			kind[n + 1] = kind_of(more) == "key" ? "" : "string"
			add(s)
		}
		function name_of(k) {
			return (k < 52 ? "" : substr(letters,
				int(k / 52), 1)) substr(letters, k % 52 + 1, 1)
		}
		function next_name() {
			do
				s = name_of(made++)
			while (s in known || s in taken)
			return s
		}
		# What counts as one name: a variable with our property, or
		# their property with the string that tells it.
		function key_of(i,  s) {
			s = token[i]
			sub(/ $/, "", s)
			if (kind[i] == "." && !(s in own))
				return "\"" s "\""
			if (kind[i] == "string" ||
			    (kind[i] == "key" && s in own) ||
			    (kind[i] ~ /^(variable|both|\.)$/ &&
			     !(s in taken) && length(s) > 1))
				return s
			return ""
		}
		# In two letters and brackets.
		function pays(s,  n, strings) {
			n = length(s)
			strings = uses[s] - props[s]
			return props[s] * (n - 5) + strings * (n - 2) > n + 4
		}
		BEGIN {
			n_theirs = split(theirs, list)
			for (i in list)
				taken[list[i]] = 1
			n_ours = split(ours, list)
			for (i in list) {
				own[list[i]] = 1
				told["\"" list[i] "\""] = 1
			}
			letters = "abcdefghijklmnopqrstuvwxyz"
			letters = letters toupper(letters)
		}
		{
			for (i = 1; i <= length; i++) {
				c = substr($0, i, 1)
				if (c ~ /["\047]/ || (c == "/" &&
				    (last == "" ||
				     last ~ /[(,=:[!&|?{};\n]/))) {
					j = skip(i, c)
					s = substr($0, i, j - i + 1)
					if (c == "\"")
						add_string(s, substr($0,
							j + 1, 1))
					else
						add(s)
					i = j
				} else if (match(substr($0, i, 60),
				    /^[A-Za-z_$][A-Za-z0-9_$]*/)) {
					j = i + RLENGTH
					add_word(substr($0, i, RLENGTH),
						 substr($0, j, 1))
					i = j - 1
				} else if (match(substr($0, i, 60),
				    /^[0-9][0-9A-Za-z.]*/)) {
					s = substr($0, i, RLENGTH)
					i += RLENGTH - 1
					sub(/^0\./, ".", s)
					add(s)
				} else if (c == " ") {
					token[n] = token[n] c
				} else {
					if (c ~ /[([{]/)
						open = open (c == "{" &&
							is_object() ? "o" : "b")
					if (c ~ /[])}]/)
						open = substr(open, 1,
							length(open) - 1)
					add(c)
				}
			}
			token[++n] = "\n"
		}
		END {
			for (i = 1; i <= n; i++) {
				if (token[i] in told)
					exit 1
				# $("id"), where the id is a word.
				if (token[i] == "$" && token[i + 1] == "(" &&
				    token[i + 3] == ")" &&
				    token[i + 2] ~ /^"[a-z]+"$/ &&
				    !(token[i + 2] in told)) {
					gsub("\"", "", token[i + 2])
					kind[i + 2] = "."
					token[i + 1] = "."
					token[i + 3] = ""
				}
				if ((s = key_of(i)) == "")
					continue
				if (!uses[s]++)
					named[++nnamed] = s
				props[s] += kind[i] == "."
			}
			for (most = n; most > 0; most = next_most) {
				next_most = 0
				for (i = 1; i <= nnamed; i++) {
					s = named[i]
					if (s in to || (s ~ /^"/ && !pays(s)))
						continue
					if (uses[s] < most) {
						if (uses[s] > next_most)
							next_most = uses[s]
						continue
					}
					key = s
					to[key] = next_name()
					if (key ~ /^"/)
						pool = pool "," to[key] "=" key
				}
			}
			for (i = 1; i <= n; i++) {
				if (pool && token[i] == "\"use strict\"") {
					printf "%s;let %s", token[i],
						substr(pool, 2)
					pool = ""
					continue
				}
				s = token[i]
				if (s == "." && kind[i + 1] == "." &&
				    key_of(i + 1) ~ /^"/ &&
				    key_of(i + 1) in to && last_out != "?") {
					printf "[%s]", to[key_of(++i)]
					# The blank after a word.
					last_out = ""
					continue
				}
				key = key_of(i)
				if (key in to && !(kind[i] == "." &&
				    key ~ /^"/)) {
					blank = s ~ / $/ ? " " : ""
					sub(/ $/, "", s)
					token[i] = (kind[i] == "both" &&
						!(s in own) ? s ":" : "") \
						to[key] blank
				}
				sub(/ $/, "", s)
				last_out = s
				if (s == "true" || s == "false")
					token[i] = s == "true" ? "!0" : "!1"
				# One let after the other is one.
				if (s ~ /^[([{]$/)
					depth++
				if (s ~ /^[])}]$/)
					depth--
				if (s == ";" && token[i + 1] ~ /^let/ &&
				    lets[depth]) {
					printf ","
					i++
					continue
				}
				if (s == "let" || s == ";" || (s ~ /^[{}]$/ &&
				    token[i + 1] !~ /^[=,;)]/))
					lets[depth] = s == "let"
				# (x) => is x =>.
				if (s == "(" && is_word[i + 1] &&
				    !is_word[i - 1] && token[i + 2] == ")" &&
				    token[i + 3] token[i + 4] == "=>") {
					s = token[++i]
					key = key_of(i)
					printf "%s", key in to ? to[key] : s
					i++
					depth--
					continue
				}
				printf "%s", token[i]
			}
		}'
}

# The same of a style, and of markup.
tight_style() {
	sed 's/ *\([{};,>]\) */\1/g; s/ + /+/g; s/\([a-z-]\): /\1:/g; s/;}/}/g'
}

tight_markup() {
	sed 's/="\([A-Za-z0-9-]*\)"/=\1/g; s/<\/option>//g'
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
	for module in data caption rewrite bough view draw search diff \
		tree pane export hand menu page; do
		bare "$from/$module.js"
	done
	echo '})();'
} | tight | short > "$work/script"
bare "$from/style.css" | tight_style > "$work/style"
{
	echo '(function () {'
	echo '"use strict";'
	bare "$from/caption.js" "$from/svg.js"
	echo '})();'
} | tight > "$work/svg_script"
bare "$from/svg.css" | tight_style > "$work/svg_style"
bare "$from/body.html" | tight_markup > "$work/body"
if grep -i '</\(script\|style\)' "$work/script" "$work/style"; then
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
	for part in script style body svg_script svg_style; do
		bytes "$part" "$work/$part"
	done
	echo 'const struct fl_viewer fl_viewer = {'
	echo "	.style = style, .script = script, .body = body,"
	echo '	.svg_script = svg_script, .svg_style = svg_style,'
	echo "	.style_hash = \"sha256-$(hash "$work/style")\","
	echo "	.script_hash = \"sha256-$(hash "$work/script")\","
	echo '};'
} > "$work/c"
mv "$work/c" "$to"
