# SPDX-License-Identifier: Apache-2.0
# For tests in a browser, to be read by them: scripts that act in a page and
# say what they see.  Needs $TOP, $browser, $scratch and tap.sh.

# The time of the page is not that of the machine, which has none for frames:
# they come by the page's.
probed() {
	awk -v shared="$TOP/tests/viewer/act.js" -v probe="$TOP/tests/viewer/$1" '
		{ gsub(/<meta http-equiv[^>]*>/, "") }
		{ sub(/<head>/, "&<script>requestAnimationFrame = (draw) =>" \
			" setTimeout(() => draw(performance.now()), 16);" \
			"cancelAnimationFrame = clearTimeout</script>") }
		/^<\/body>/ {
			print "<script>"
			while ((getline line < shared) > 0)
				print line
			while ((getline line < probe) > 0)
				print line
			print "})();</script>"
		}
		{ print }' "$2"
}

# The page of standard input within another, in a sandbox.
sandboxed() {
	printf '<!DOCTYPE html>\n<iframe sandbox="allow-scripts" width="1200"'
	printf ' height="800" srcdoc="'
	sed 's/&/\&amp;/g; s/"/\&quot;/g'
	printf '"></iframe>\n'
}

# act PROBE PAGE [WRAPPER]: acts in it, as the probe has it, and hears what it
# says.
act() {
	probed "$1" "$2" | "${3-cat}" > probed.html
	"$browser" --headless --no-sandbox --disable-gpu --disable-quic \
		--no-first-run --disable-background-networking \
		--disable-component-update --disable-sync --window-size=1280,900 \
		--disable-features=IsolateSandboxedIframes \
		--user-data-dir="$scratch/profile" --enable-logging=stderr \
		--virtual-time-budget=200000 --dump-dom "file://$scratch/probed.html" \
		> dom 2> log
	sed -n 's/.*"\(not ok\|ok\): \(.*\)", source.*/\1 \2/p' log > said
	while read -r verdict rest
	do
		case $verdict in
		ok)	good "$rest";;
		*)	bad "${rest#ok }";;
		esac
	done < said
	grep -q 'the end' said ||
		bad "all of $1 is checked" "$(grep CONSOLE log | cut -c1-300)"
}
