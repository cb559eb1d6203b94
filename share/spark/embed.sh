#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Puts the table of operators into a C file: embed.sh TABLE OUTPUT.c
set -eu
from=$1 to=$2
{
	echo '#include "fl.h"'
	echo '#include "spark/operators.h"'
	echo 'const struct fl_operator_row fl_operator_table[] = {'
	sed '/^#/d
		/^$/d
		s/[\\"]/\\&/g
		s/^\([^	]*\)	*\(.*\)$/{ "\1", "\2" },/' "$from"
	echo '{ NULL, NULL } };'
} >"$to.tmp"
mv "$to.tmp" "$to"
