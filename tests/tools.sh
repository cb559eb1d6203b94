# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# TOOLS, the folder of the built tools that are linked with the library.  Where
# it is shared, libtool has put scripts in $BUILD/tools that name this build's
# library, and are ten times slower to start: here are the programs
# themselves.  flame-record is always in $BUILD/tools.
: "${BUILD:=$TOP/build}"
TOOLS=$BUILD/tools
if [ -x "$TOOLS/.libs/flame-fold" ] &&
	[ "$(head -c 2 "$TOOLS/flame-fold")" = '#!' ]
then
	TOOLS=$BUILD/tools/.libs
	LD_LIBRARY_PATH=$BUILD/.libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
	export LD_LIBRARY_PATH
fi
export TOOLS
