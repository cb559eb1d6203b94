#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The combiner and the reducer of a Hadoop Streaming job: adds up lines of
# flame-map.sh, in which equal keys adjoin.
tool=./flame-merge
[ -x "$tool" ] || tool=flame-merge
# The library may have been sent along.
LD_LIBRARY_PATH=$PWD${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH
key=${FLAME_KEY-app,stage,metric}
rest=$(printf '%s' "$key" | tr -d -c ,)
exec "$tool" -q --stream --key=$((${#rest} + 1))
