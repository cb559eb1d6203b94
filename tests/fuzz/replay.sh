#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What fuzzing found and what it began with, once more; see replay.c.
: "${TOP:=$(cd "$(dirname "$0")/../.." && pwd)}" "${BUILD:=$TOP/build}"
export TOP BUILD
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
bash "$TOP/tests/fuzz/seeds" "$work" || exit 99
"$BUILD/tests/fuzz/replay" "$TOP/tests/fuzz/found" "$work"
