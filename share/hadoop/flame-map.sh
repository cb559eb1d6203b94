#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The mapper of a Hadoop Streaming job: lines of NLineInputFormat, which name
# profiles, to folded stacks with columns.  One flame-fold reads all the files
# of a task, so no JVM is started for a file: name webhdfs:// URLs, or paths of
# a file system that is mounted on the nodes.
#
#	FLAME_KEY	the columns (app,stage,metric)
#	FLAME_OPTIONS	more options of flame-fold, divided by blanks or tabs
#
# flame-batch --engine hadoop prints the whole command.
set -f
tool=./flame-fold
[ -x "$tool" ] || tool=flame-fold
# The library may have been sent along.
LD_LIBRARY_PATH=$PWD${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH
# shellcheck disable=SC2086 # options are words
exec "$tool" -j 1 --paths-from - --partial ok --report hadoop \
	--key "${FLAME_KEY-app,stage,metric}" ${FLAME_OPTIONS-}
