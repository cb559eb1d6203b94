# SPDX-License-Identifier: Apache-2.0
# For tests in Firefox, to be read by them.  Needs $scratch and tap.sh.

firefox=${FIREFOX-$(command -v firefox-esr || command -v firefox)}

# said_in_firefox PAGE: opens it, and hears what it says in the console, which
# Firefox prints.  1: this Firefox says nothing.
said_in_firefox() {
	mkdir -p "$scratch/home" "$scratch/profile"
	cat > "$scratch/profile/user.js" <<-'EOF'
		user_pref("devtools.console.stdout.content", true);
		user_pref("browser.dom.window.dump.enabled", true);
		user_pref("datareporting.policy.dataSubmissionEnabled", false);
		user_pref("toolkit.telemetry.reportingpolicy.firstRun", false);
		user_pref("browser.shell.checkDefaultBrowser", false);
		user_pref("app.update.auto", false);
		user_pref("network.captive-portal-service.enabled", false);
		user_pref("network.connectivity-service.enabled", false);
	EOF
	# Some do not end when they are asked to.
	HOME=$scratch/home timeout -k 5 $((600 * TEST_SLOW)) \
		"$firefox" --headless --no-remote --new-instance \
		--profile "$scratch/profile" "file://$1" \
		> log 2>&1 &
	child=$!
	waited=0
	while ! grep -q 'the end' log && kill -0 $child 2>/dev/null &&
		[ $waited -lt $((590 * TEST_SLOW)) ]
	do
		sleep 1
		waited=$((waited + 1))
	done
	sed -n 's/.*console\.log: *"\{0,1\}\(not ok\|ok\): \(.*[^"]\)"\{0,1\}$/\1 \2/p' log > said
	[ -s said ] || {
		leave_firefox
		return 1
	}
	while read -r verdict rest
	do
		case $verdict in
		ok)	good "$rest";;
		*)	bad "${rest#ok }";;
		esac
	done < said
	grep -q 'the end' said || bad 'all of it is checked' "$(tail -n 5 log)"
	leave_firefox
}

leave_firefox() {
	kill $child 2>/dev/null
	wait $child 2>/dev/null
	child=
}
