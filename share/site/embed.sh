#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Puts the style and the script of the report into a C file, with the hashes
# that its policy wants: embed.sh SITE_DIR VIEWER_DIR OUTPUT.c
# Needs sed, od and sha256sum.
set -eu
export LC_ALL=C
site=$1 viewer=$2 to=$3
work=$to.tmp.$$
trap 'rm -rf "$work"' EXIT
mkdir -p "$work"

bare() {
	cat "$@" | sed '/^[[:blank:]]*\/\*.*\*\/$/d
		/^[[:blank:]]*\/\*/,/\*\//d
		/^[[:blank:]]*\/\/ /d
		s/^[[:blank:]]*//
		/^$/d'
}

hash() {
	for byte in $(sha256sum "$1" | sed 's/ .*//; s/../0x& /g')
	do
		printf "\\$(printf %03o "$byte")"
	done | base64
}

bytes() {
	printf 'const char %s[] = {\n' "$1"
	od -An -v -tu1 "$2" | sed 's/  *\([0-9]\)/\1/; s/  */,/g; s/$/,/'
	printf '0 };\n'
}

# Colours, font and size are the viewer's.
bare "$viewer/first.css" | sed -n '/^:root/p; /^\[data-theme/p; /^body/p' \
	>"$work/style"
bare "$site/site.css" >>"$work/style"
bare "$site/site.js" >"$work/script"
if grep -i '</\(script\|style\)' "$work/style" "$work/script"; then
	echo "$0: a part ends its own element" >&2
	exit 1
fi
{
	echo '/* Made by share/site/embed.sh. */'
	echo 'extern const char batch_site_style[], batch_site_script[];'
	echo 'extern const char batch_site_style_hash[];'
	echo 'extern const char batch_site_script_hash[];'
	bytes batch_site_style "$work/style"
	bytes batch_site_script "$work/script"
	echo "const char batch_site_script_hash[] ="
	echo "	\"sha256-$(hash "$work/script")\";"
	echo "const char batch_site_style_hash[] ="
	echo "	\"sha256-$(hash "$work/style")\";"
} >"$work/c"
mv "$work/c" "$to"
