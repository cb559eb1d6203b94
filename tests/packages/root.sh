# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# For tests of packages: a minimal Debian, by debootstrap, in $store/root.CODENAME,
# which stays for the next test; each test works on a copy of it.
#
#	. "$TOP/tests/packages/root.sh"
#	why=$(no_root)			empty where a root can be made
#	make_root bookworm "$work/root"
#	in_root "$work/root" COMMAND...

no_root() {
	[ "$(id -u)" -eq 0 ] || { echo 'not root'; return; }
	command -v apt-get >/dev/null || { echo 'no apt-get'; return; }
	unshare --mount true 2>/dev/null || { echo 'mounts are refused'; return; }
	command -v debootstrap >/dev/null || echo 'no debootstrap'
}

# Where this machine has its packages from.
mirror() {
	local found

	found=$(apt-get indextargets --format '$(CODENAME) $(REPO_URI)' \
		'Created-By: Packages' 2>/dev/null |
		awk -v codename="$(. /etc/os-release && echo "$VERSION_CODENAME")" \
		'$1 == codename { print $2; exit }')
	echo "${found:-http://deb.debian.org/debian}" | sed 's,/$,,'
}

make_root() {
	local base=$store/root.$1

	if [ ! -e "$base" ]; then
		rm -rf "$base.new"
		timeout 1200 debootstrap --variant=minbase "$1" "$base.new" \
			"$(mirror)" >"$store/root.log" 2>&1 || return
		echo force-unsafe-io >"$base.new/etc/dpkg/dpkg.cfg.d/unsafe-io"
		cp -L /etc/resolv.conf "$base.new/etc/"
		cp -a /etc/apt/apt.conf.d/. "$base.new/etc/apt/apt.conf.d/"
		mv "$base.new" "$base"
	fi
	cp -a "$base" "$2"
}

# The mounts are seen by the command alone, and end with it.
in_root() {
	root=$1 unshare --mount bash -c 'shift
		for tree in proc dev; do
			mount --rbind "/$tree" "$root/$tree" || exit 2
		done
		exec env -i HOME=/root LC_ALL=C.UTF-8 \
			PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
			DEBIAN_FRONTEND=noninteractive chroot "$root" "$@"
		' bash "$@" </dev/null
}
