# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# For what runs the suite with each program under another command (memcheck,
# threads).
#
#	run_under WORDS...	the build folder $work then stands for $BUILD:
#				in it programs are run after the words, those
#				that know -j with -j 4
#	run_tests TEST...	of tests/ in it, as many at a time as there are
#				CPUs; what failed is printed

# $work/ran has the command of a process.
run_under() {
	local program name jobs

	. "$TOP/tests/tools.sh"
	ln -s "$BUILD"/{*,.libs} "$work" 2>/dev/null
	rm -f "$work/tools" "$work/tests"
	mkdir -p "$work"/{tools,tests/fuzz,tests/laws,ran}
	ln -s "$BUILD"/tests/{mk,unit} "$work/tests"
	for program in "$BUILD"/tools/{flame-*,jfr2flame} \
		"$BUILD"/tests/fuzz/replay "$BUILD"/tests/laws/try-{readers,threads}
	do
		name=${program#"$BUILD"/}
		[[ ! -x $TOOLS/${program##*/} ]] ||
			program=$TOOLS/${program##*/}
		[[ -x $program && $name != *.o ]] || continue
		jobs=
		[[ $name != tools/* ]] || ! "$program" --help 2>&1 |
			grep -q -- '--jobs' || jobs='-j 4'
		printf '%s\n' '#!/usr/bin/env bash' \
			"echo ${name##*/} $jobs"' "$@" >'"$work"'/ran/$$' \
			"PATH=${program%/*}:\$PATH" \
			"exec $* ${name##*/} $jobs"' "$@"' >"$work/$name"
		chmod +x "$work/$name"
	done
}

one_test() {
	local said=$work/said.${1//\//-}

	BUILD=$work "$TOP/tests/$1" >"$said" 2>&1
	printf '%s: %s ok, %s not ok\n' "$1" "$(grep -c '^ok ' "$said")" \
		"$(grep -c '^not ok ' "$said")"
	! grep -A 5 '^not ok' "$said" &&
		{ grep -q '^ok ' "$said" || grep -q '^1\.\.0' "$said"; }
}

run_tests() {
	[ $# -gt 0 ] || return 0
	export -f one_test
	export TOP work LC_ALL=C TZ=UTC
	printf '%s\n' "$@" |
		xargs -P "$(nproc 2>/dev/null || echo 1)" -I '{}' \
			bash -c 'one_test "$1"' one_test '{}'
}
