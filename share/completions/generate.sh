#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Completions from what a tool says of itself.
#
#	generate.sh bash|zsh|fish TOOL < "TOOL --help=all" > completion
#
# An option is a line such as "  -o, --output FILE   text" or
# "      --root RE   text"; its text may go on in the lines that follow.
# Where an argument is a list such as "svg|html" its words are offered; for
# formats and colours those that the lists after the options name.
exec ${AWK:-awk} -v shell="$1" -v tool="$2" '
# Words that the text of --help has no room for.
BEGIN {
	known["tidy NAME"] = "java-modules java-lambdas java-lines" \
		" rust-hashes gcc-clones cxx-arguments cxx-templates go" \
		" python-lines numbers-in-thread-names tids addresses"
	known["event NAME"] = "list cpu wall alloc lock native nativemem" \
		" live file socket wait sleep error exception cost"
	known["events all|LIST"] = "all cpu wall alloc lock"
	known["by KEYRE"] = "thread state file app executor stage task tag" \
		" holder"
	known["key KEYRE,KEY..."] = known["by KEYRE"]
	known["key KEY,KEY..."] = known["by KEYRE"]
}

# A line that begins an option: short, long, argument, text.
/^ +-/ {
	line = $0
	sub(/^ +/, "", line)
	text = ""
	if (match(line, /  +/)) {
		text = substr(line, RSTART + RLENGTH)
		line = substr(line, 1, RSTART - 1)
	}
	short[++n] = long[n] = arg[n] = ""
	while (match(line, /^--?[^ ,=\[]+/)) {
		flag = substr(line, 1, RLENGTH)
		line = substr(line, RLENGTH + 1)
		if (flag ~ /^--/)
			long[n] = substr(flag, 3)
		else
			short[n] = substr(flag, 2)
		sub(/^, */, "", line)
	}
	optional[n] = line ~ /^\[/
	gsub(/[\[\]=]/, "", line)
	sub(/^ +/, "", line)
	arg[n] = line
	about[n] = text
	next
}
/^         +[^ ]/ && n && about[n] == "" {
	sub(/^ +/, "")
	about[n] = $0
}

/^Formats that are read:/ { list = "input-format" }
/^Formats that are written:/ { list = "format" }
/^Colour schemes:/ { list = "colors" }
list != "" && /^  [a-z0-9]/ {
	offered[list] = offered[list] (offered[list] == "" ? "" : " ") $1
}

function is_file(a) {
	return a ~ /FILE|DIR|PATH/
}

# The words that an option accepts; "" where it may be any.
function words_of(i,   a) {
	if (arg[i] != "" && long[i] in offered)
		return offered[long[i]]
	a = arg[i]
	if (long[i] " " a in known)
		return known[long[i] " " a]
	if (a !~ /^[a-z0-9-]+(\|[a-z0-9-]+)+$/)
		return ""
	gsub(/\|/, " ", a)
	return a
}

# "-o|--output", for the options of one kind of argument.
function names(i, between) {
	if (short[i] == "" || long[i] == "")
		return short[i] != "" ? "-" short[i] : "--" long[i]
	return "-" short[i] between "--" long[i]
}

# In single quotes, for any shell.
function quoted(s) {
	gsub(/\047/, "\047\\\047\047", s)
	return "\047" s "\047"
}

function bash(   i, all, none, f) {
	f = tool
	gsub(/[^A-Za-z0-9_]/, "_", f)
	print "# bash completion for " tool
	print "_" f "()"
	print "{"
	print "\tlocal cur=${COMP_WORDS[COMP_CWORD]}"
	print "\tlocal prev=${COMP_WORDS[COMP_CWORD - 1]}"
	print "\tlocal words="
	print "\tcase $prev in"
	for (i = 1; i <= n; i++) {
		all = all (i > 1 ? " " : "") names(i, " ")
		if (arg[i] == "" || optional[i])
			continue
		if (words_of(i) != "")
			print "\t" names(i, "|") ") words=" \
				quoted(words_of(i)) ";;"
		else if (is_file(arg[i]))
			files = files (files == "" ? "" : "|") names(i, "|")
		else
			none = none (none == "" ? "" : "|") names(i, "|")
	}
	if (files != "")
		print "\t" files ") return;;"
	if (none != "")
		print "\t" none ") compopt +o default; return;;"
	print "\t*) [[ $cur == -* ]] && words=\047" all "\047;;"
	print "\tesac"
	print "\tmapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")"
	print "}"
	print "complete -o default -F _" f " " tool
}

function zsh(   i, text, action, flag) {
	print "#compdef " tool
	print "_arguments -s -S \\"
	for (i = 1; i <= n; i++) {
		text = about[i]
		gsub(/[\[\]\\]/, "\\\\&", text)
		action = ""
		if (arg[i] != "") {
			action = arg[i]
			gsub(/[:\\]/, "\\\\&", action)
			action = (optional[i] ? "::" : ":") action ":" (\
				words_of(i) != "" ? "(" words_of(i) ")" : \
				is_file(arg[i]) ? "_files" : " ")
		}
		text = quoted("[" text "]" action)
		flag = ""
		if (short[i] != "")
			flag = "-" short[i] (arg[i] != "" ? "+" : "")
		if (long[i] != "")
			flag = flag (flag == "" ? "" : ",") "--" long[i] \
				(arg[i] != "" ? "=" : "")
		if (flag ~ /,/)
			flag = "{" flag "}"
		print "\t" (arg[i] != "" ? "\047*\047" : \
			flag ~ /,/ ? "\047(" names(i, " ") ")\047" : "") \
			flag text " \\"
	}
	print "\t\047*:file:_files\047"
}

function fish(   i) {
	print "# fish completion for " tool
	for (i = 1; i <= n; i++)
		print "complete -c " tool \
			(short[i] != "" ? " -s " short[i] : "") \
			(long[i] != "" ? " -l " long[i] : "") \
			(arg[i] == "" || optional[i] ? "" : is_file(arg[i]) ? " -r -F" : \
			 " -x" (words_of(i) != "" ? \
			 " -a " quoted(words_of(i)) : "")) \
			" -d " quoted(about[i])
}

END {
	if (!n) {
		print "generate.sh: no options in what " tool \
			" --help says" > "/dev/stderr"
		exit 1
	}
	if (shell == "bash")
		bash()
	else if (shell == "zsh")
		zsh()
	else
		fish()
}'
