# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# For tests in shell: each prints TAP, one line a fact.
#
#	. "$TOP/tests/tap.sh"
#	good NAME | bad NAME [WHY] | skipped NAME WHY | verdict NAME PROBLEMS
#	$TOOLS/flame-fold	a tool of this build (see tools.sh)
#	plan			(last; its status says whether all were good)

n=0 nbad=0
. "$TOP/tests/tools.sh"

# Limits of time are this many times as long: where valgrind runs the tools.
: "${TEST_SLOW:=1}"

# Explanations go to standard output as comments: they end up in the log.
explain() {
	sed 's/^/#   /'
}

good() {
	n=$((n + 1))
	printf 'ok %d - %s\n' "$n" "$1"
}

bad() {
	n=$((n + 1)) nbad=$((nbad + 1))
	printf 'not ok %d - %s\n' "$n" "$1"
	[ -z "${2-}" ] || printf '%s\n' "$2" | explain
}

skipped() {
	n=$((n + 1))
	printf 'ok %d - %s # SKIP %s\n' "$n" "$1" "$2"
}

# Good where the list of problems is empty.
verdict() {
	if [ -z "$2" ]; then good "$1"; else bad "$1" "$2"; fi
}

# Nothing here can be tested, and why.
skip_all() {
	printf '1..0 # SKIP %s\n' "$1"
	exit 0
}

# wait_until COMMAND...: until it is good, for two minutes at most.
wait_until() {
	for _ in $(seq 2400); do
		! "$@" 2>/dev/null || return 0
		sleep 0.05
	done
	printf '# not so in two minutes: %s\n' "$*"
	return 1
}

# sleeps PID NAME: the process runs that program, and waits.
sleeps() {
	grep -q "($2) S " "/proc/$1/stat"
}

# let_run PID MS: until the process has had so much more CPU time, as seconds by
# the clock are none on a busy machine.
let_run() {
	wait_until has_run "$1" $(($(cpu_ms "$1") + $2))
}
has_run() {
	[ "$(cpu_ms "$1")" -ge "$2" ]
}
cpu_ms() {
	sed 's/.*) //' "/proc/$1/stat" | awk '{ print 10 * ($12 + $13) }'
}

# end_jobs [SIGNAL]: ends what this script has started and still runs (bash): the
# number of a process that has ended may be another test's.
end_jobs() {
	for job in $(jobs -pr); do
		kill "${1--TERM}" "$job" 2>/dev/null
	done
}

plan() {
	printf '1..%d\n' "$n"
	[ "$n" -gt 0 ]
}
