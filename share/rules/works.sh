#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Puts the table of works into a C file: works.sh WORKS OUTPUT.c
set -eu
from=$1 to=$2
{
	echo '#include "fl.h"'
	echo '#include "tree/works.h"'
	echo 'const struct fl_work fl_works[] = {'
	sed '/^#/d; /^$/d; s/[\\"]/\\&/g' "$from" | awk -F '\t' '
		/^\t/ { print "\"" $2 " \""; next }
		{
			if (NR > 1)
				print "},"
			print "{ FL_WORK_" toupper($1) ", \"" $2 "\", \"" $3 "\","
		}
		END { print "}," }'
	echo '{ FL_WORK_OWN, NULL, NULL, NULL } };'
} >"$to.tmp"
mv "$to.tmp" "$to"
