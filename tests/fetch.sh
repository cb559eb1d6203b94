# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# For tests in bash that need packages of registries.  They are stored in
# $store, a folder each:
#
#	. "$TOP/tests/fetch.sh"
#	fetch duckdb python3 pip_into duckdb duckdb &
#	wait
#	with duckdb 'NAME OF TEST' && ...
#
# $store/NAME.why says why a package is not there.

have() {
	command -v "$1" >/dev/null
}

# fetch NAME NEEDED FUNCTION ARGUMENT...: into $store/NAME.
fetch() {
	local name=$1 needed=$2 program
	shift 2
	rm -f "$store/$name.why"
	[ ! -e "$store/$name" ] || return 0
	for program in $needed; do
		have "$program" && continue
		echo "no $program" >"$store/$name.why"
		return
	done
	timeout 150 bash -c '"$@"' bash "$@" >"$store/$name.log" 2>&1 \
		</dev/null && return
	rm -rf "${store:?}/$name"
	echo "not to be had: $(grep -v '^$' "$store/$name.log" | tail -n 1 |
		tr -cd '[:print:]' | cut -c 1-60)" >"$store/$name.why"
}

pip_into() {
	python3 -m pip install -q --disable-pip-version-check --no-compile \
		--retries 1 --timeout 20 --target "$store/$1.new" "${@:2}" &&
		mv "$store/$1.new" "$store/$1"
}
npm_into() {
	npm install --prefix "$store/$1.new" --ignore-scripts --no-audit \
		--no-fund --fetch-retries=1 --fetch-timeout=20000 "$2" &&
		mv "$store/$1.new" "$store/$1"
}
mvn_into() {
	local artifact
	for artifact in "${@:2}"; do
		mvn -q -B dependency:copy -Dartifact="$artifact" \
			-DoutputDirectory="$store/$1.new" || return
	done
	mv "$store/$1.new" "$store/$1"
}
# A package of Debian, unpacked and not installed: no service starts.
deb_into() (
	mkdir -p "$store/$1.new" && cd "$store/$1.new" &&
		apt-get -q download "$2" && dpkg-deb -x "$2"_*.deb . &&
		rm -f "$2"_*.deb && mv "$store/$1.new" "$store/$1"
)
export -f pip_into npm_into mvn_into deb_into
export store

# Whether the package is there; else its test is skipped.
with() {
	[ ! -e "$store/$1.why" ] && return
	skipped "$2" "$1: $(cat "$store/$1.why")"
	return 1
}
