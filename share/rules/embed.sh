#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Puts the rules of reports into a C file: embed.sh RULES OUTPUT.c
set -eu
from=$1 to=$2
{
	echo '#include "report/rules.h"'
	echo 'const struct batch_rule batch_rules[] = {'
	sed '/^#/d; s/[\\"]/\\&/g' "$from" | awk '
		function end() {
			if (open)
				print "},"
			open = 0
		}
		!NF { end(); next }
		{
			if (!open)
				print "{"
			open = 1
			key = $1
			sub(/^[a-z]+[ \t]+/, "")
			if (key ~ /^(over|least|rank|cases)$/)
				print "." key " = " $0 ","
			else
				print "." key " = \"" $0 "\","
		}
		END { end() }'
	echo '{ .of = NULL } };'
} >"$to.tmp"
mv "$to.tmp" "$to"
