# SPDX-License-Identifier: Apache-2.0
#
# Makes one small script of ES modules:
#	awk -f bundle.awk -v from=FOLDER -v entry=NAME [-v replace="A=B ..."]
# Modules come in the order in which browsers evaluate them: imports first; B is
# used instead of A.  All share one scope, so that their names at the top level
# become short ones that differ.  Comments and blanks go.  Modules begin with
# their imports, have import and export at the beginning of lines, a semicolon
# after each statement, and templates within a line.

function fail(text) {
	print "bundle.awk: " text > "/dev/stderr"
	exit status = 1
}

# Appends the tokens of a module, after those of its imports.
function load(module,  line, lines, n, i, j, begun, names, other) {
	if (module in loaded)
		return
	loaded[module] = 1
	file = from "/" module ".js"
	while ((n = (getline line < file)) > 0)
		lines[++i] = line
	close(file)
	if (n < 0)
		fail(file ": cannot be read")
	lines[0] = i
	for (i = 1; i <= lines[0]; i++) {
		if (lines[i] ~ /^import /)
			begun = i
		if (!begun)
			continue
		other = lines[i]
		lines[begun] = lines[begun] (begun < i ? " " other : "")
		if (begun < i)
			lines[i] = ""
		if (!gsub(/^.*"\.\/|\.js";$/, "", other))
			continue
		if (other in replaced)
			other = replaced[other]
		gsub(/^import|}.*|[{\t ]/, "", lines[begun])
		n = split(lines[begun], names, ",")
		for (j = 1; j <= n; j++)
			imported[module, names[j]] = other
		lines[begun] = ""
		begun = 0
		load(other)
	}
	at = module
	file = from "/" module ".js"
	for (i = 1; i <= lines[0]; i++) {
		sub(/^export /, "", lines[i])
		tokenize(lines[i])
	}
}

function put(kind, text) {
	kinds[++count] = kind
	tokens[count] = text
	module[count] = at
	if (kind == "word")
		words[text]
}

# Where a text in s ends that begins with its first character.  A template ends
# at "${" as well.
function end_of(s,  quote, class, i, c) {
	quote = substr(s, 1, 1)
	if (quote == "}")
		quote = "`"
	for (i = 2; (c = substr(s, i, 1)) != quote || class; i++) {
		if (c == "")
			fail(file ": a text without an end: " s)
		if (c == "\\")
			i++
		else if (quote == "/" && c ~ /[][]/)
			class = c == "["
		else if (quote == "`" && substr(s, i, 2) == "${")
			return i + 1
	}
	if (quote == "/")
		match(substr(s, i + 1), /^[a-z]*/)
	return quote == "/" ? i + RLENGTH : i
}

function tokenize(s,  size, c, last) {
	for (; s != ""; s = substr(s, size + 1)) {
		c = substr(s, 1, 1)
		last = tokens[count]
		size = 1
		if (comment) {
			size = index(s, "*/") + 1
			if (size == 1)
				return
			comment = 0
		} else if (c ~ /[ \t]/) {
			continue
		} else if (s ~ /^\/\//) {
			return
		} else if (s ~ /^\/\*/) {
			comment = size = 2
		} else if (match(s, /^[A-Za-z_$][A-Za-z0-9_$]*/)) {
			size = RLENGTH
			put("word", substr(s, 1, size))
		} else if (match(s, /^[0-9][0-9A-Za-z.]*/)) {
			size = RLENGTH
			c = substr(s, 1, size)
			sub(/^0\./, ".", c)
			put("number", c)
		} else if (c ~ /["'`]/ || (c == "}" && inside[level] == "`") ||
		    (c == "/" && (last ~ /^[^])"'`A-Za-z0-9_$]/ ||
		     last ~ /^(|return)$/))) {
			size = end_of(s)
			level -= c == "}"
			put("text", c = substr(s, 1, size))
			if (c ~ /^[`}].*\$\{$/)
				inside[++level] = "`"
		} else {
			if (match(s, /^(\.\.\.|\?\.|=>|\+\+|--)/))
				size = RLENGTH
			put("mark", c = substr(s, 1, size))
			if (c ~ /^[[({]$/) {
				# Whether it holds names of properties.
				if (c == "{" && last ~ object)
					c = "properties"
				inside[++level] = c
			} else if (c ~ /^[])}]$/)
				level--
		}
		within[count] = inside[level]
		depth[count] = level
	}
}

# The names that a declaration at k has: at its level, or in its pattern.
function declare(k,  pattern) {
	for (; tokens[k] ~ /^(async|function)$/; k++)
		if (tokens[k] == "function") {
			top[module[k], tokens[k + 1]]
			return
		}
	pattern = tokens[k + 1] ~ /^[[{]$/
	for (; tokens[k] != ";" || depth[k]; k++) {
		if (pattern && tokens[k] == "=")
			return
		if (kinds[k] == "word" && depth[k] == pattern &&
		    tokens[k - 1] ~ /^(const|let|,|\[|\{)$/)
			top[module[k], tokens[k]]
	}
}

# Whose name a token is: MODULE SUBSEP NAME; "" if that of none.
function named(k,  id) {
	if (kinds[k] != "word" || tokens[k - 1] ~ /^\??\.$/)
		return ""
	id = module[k] SUBSEP tokens[k]
	if (id in imported) {
		met[id]
		id = imported[id] SUBSEP tokens[k]
		if (!(id in top))
			fail(module[k] ".js: no " tokens[k] " to import")
	}
	return id in top ? id : ""
}

# Short names that no other word is.
function next_name(  name, i) {
	do {
		i = serial++
		name = i < 54 ? "" : substr(letters, int(i / 54), 1)
		name = name substr(letters, i % 54 + 1, 1)
	} while (name in words || name ~ /^(as|do|if|in|is|of)$/)
	return name
}

# The most frequent first, of others the first.
function shorten(  k, n, id, ids, uses, most, name) {
	for (k = 1; k <= count; k++) {
		if ((id = named(k)) == "")
			continue
		if (!uses[id]++) {
			ids[++n] = id
			short[id] = tokens[k]
		}
		if (uses[id] > most)
			most = uses[id]
	}
	for (; most; most--)
		for (k = 1; k <= n; k++)
			if (uses[ids[k]] == most && length(short[ids[k]]) > 1)
				short[ids[k]] = next_name()
	for (id in imported)
		if (!(id in met)) {
			sub(SUBSEP, ".js: no use of ", id)
			fail(id)
		}
}

function shown(k,  id, word, key) {
	word = tokens[k]
	if ((id = named(k)) == "")
		return word
	key = within[k] == "properties" && tokens[k - 1] ~ /^[{,]$/
	if (key && tokens[k + 1] ~ /^[:(]$/)
		return word
	return (key && short[id] != word ? word ":" : "") short[id]
}

# At an end: the semicolon of an empty statement, "for (...);", and a hole.
function stays(mark, last) {
	return mark == ";" ? last == ")" : last ~ /^[[,]$/
}

# The one parameter of a function: (x) => ...
function is_lone(k) {
	return kinds[k] == "word" && tokens[k - 1] == "(" &&
		tokens[k + 1] == ")" && tokens[k + 2] == "=>"
}

BEGIN {
	letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ$_"
	# What comes before an object, or a pattern, and not before a block.
	object = "^([(,=:[?&|]|[.][.][.]|return|const|let)$"
	n = split(replace, pairs, /[ =]/)
	for (i = 1; i < n; i += 2)
		replaced[pairs[i]] = pairs[i + 1]
	load(entry)
	for (k = 1; k <= count; k++)
		if (!depth[k] && tokens[k] ~ /^(async|function|const|let)$/ &&
		    tokens[k - 1] ~ /^[;}]?$/)
			declare(k)
	shorten()
	for (k = 1; k <= count; k++) {
		text = shown(k)
		if (text ~ /^[;,]$/ && tokens[k + 1] ~ /^[]}]$/ &&
		    !stays(text, tokens[k - 1]) ||
		    text == "(" && is_lone(k + 1) || text == ")" && is_lone(k - 1))
			continue
		if (match(last, /[A-Za-z0-9_$]$/) && text ~ /^[A-Za-z0-9_$]/ ||
		    last ~ /[+]$/ && text ~ /^[+]/ || last ~ /-$/ && text ~ /^-/)
			printf " "
		printf "%s", text
		last = text
	}
	print ""
}
