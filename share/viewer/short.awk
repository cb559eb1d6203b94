# SPDX-License-Identifier: Apache-2.0
#
# Reads a script that embed.sh has stripped of blanks, and says it in fewer
# bytes: with short names (names.awk), with expressions for statements
# (terse.awk), with arguments for lets (arguments.awk).  `theirs` are words
# that stay, `aliased` those of them that get a second name; `ours` are
# properties that only the script has, `apart` those of them that are also
# strings, of other meaning.
#
# Here it becomes tokens, each of a kind: "variable", "." for a property that
# is named, "key" for one with a value, "both" for a variable that is named as
# its property, "string", "" for all else.  A number with a name in capitals
# is that number.  Both sides of === are of one type in our modules, so it is
# ==; null is only asked whether it is there, so it is 0.  $("id") is a
# variable, if it is named often, or $.id.

# The end of what opens at i and ends with a quote or slash.
function skip(i, ends,  c, class) {
	while ((c = substr($0, ++i, 1)) != "") {
		if (c == "\\")
			i++
		else if (c == "[" && ends == "/")
			class = 1
		else if (c == "]")
			class = 0
		else if (c == ends && !class)
			return i
	}
	exit 1
}

function add(s, as) {
	token[++n] = s
	kind[n] = as
	last = substr(s, length(s))
}

# A brace that holds properties, not statements.
function is_object() {
	return last ~ /[(,=:?[&|]/ || token[n] == "return" || token[n] == "let"
}

function kind_of(more) {
	if (token[n] == ".")
		return "."
	if (substr(open, length(open)) != "o" || last !~ /[{,]/ ||
	    more !~ /[,}:(=]/)
		return "variable"
	return more ~ /[:(]/ ? "key" : "both"
}

function add_word(s, more) {
	# No variable stands beside another.
	if (s == "null")
		add("0")
	else if (s in keywords || (s == "of" && kind[n] == "variable") ||
	    (s == "of" && token[n] ~ /^[]}]$/))
		add(s, "")
	else
		add(s, kind_of(more))
}

function add_string(s, more) {
	add(s, kind_of(more) == "key" ? "" : "string")
}

function add_bracket(c) {
	if (c ~ /[([{]/)
		open = open (c == "{" && is_object() ? "o" : "b")
	else
		open = substr(open, 1, length(open) - 1)
	add(c)
}

function add_sign(s) {
	if (length(s) == 3 && s ~ /==$/)
		s = substr(s, 1, 2)
	add(s)
}

BEGIN {
	split(theirs, list)
	for (i in list)
		taken[list[i]] = 1
	split("async await break case catch continue delete do else false " \
	      "finally for function if in instanceof let new null return " \
	      "throw true try typeof while", list)
	for (i in list)
		keywords[list[i]] = 1
	split(aliased, list)
	for (i in list)
		often[list[i]] = 1
	split(ours, list)
	for (i in list) {
		own[list[i]] = 1
		told["\"" list[i] "\""] = 1
	}
	split(apart, list)
	for (i in list)
		own[list[i]] = 1
	sign = "^(=>|[.][.][.]|[=!]==?|[+][+]|--|&&|[|][|]|[?][?]|[*][*]" \
		"|<=|>=|>>?>?|<<|[-+*/%&|^]=)"
}

{
	for (i = 1; i <= length; i = j + 1) {
		j = i
		c = substr($0, i, 1)
		more = substr($0, i, 60)
		if (c ~ /["\047]/ || (c == "/" &&
		    (last == "" || last ~ /[(,=:[!&|?{};>]/))) {
			j = skip(i, c)
			# Flags.
			while (c == "/" && substr($0, j + 1, 1) ~ /[a-z]/)
				j++
			s = substr($0, i, j - i + 1)
			if (c == "\"")
				add_string(s, substr($0, j + 1, 1))
			else
				add(s)
		} else if (match(more, /^[A-Za-z_$][A-Za-z0-9_$]*/)) {
			j += RLENGTH - 1
			add_word(substr(more, 1, RLENGTH), substr($0, j + 1, 1))
		} else if (match(more, /^[0-9][0-9A-Za-z.]*/)) {
			j += RLENGTH - 1
			s = substr(more, 1, RLENGTH)
			sub(/^0[.]/, ".", s)
			if (s ~ /^[1-9][0-9]*000$/)
				sub(/000$/, "e3", s)
			add(s)
		} else if (c ~ /[][(){}]/) {
			add_bracket(c)
		} else if (match(more, sign)) {
			j += RLENGTH - 1
			add_sign(substr(more, 1, RLENGTH))
		} else if (c != " ") {
			add(c)
		}
	}
}

# Ends at the bracket that closes what opens at i.
function matching(i,  deep) {
	for (; i <= n; i++) {
		deep += (token[i] ~ /^[([{]$/) - (token[i] ~ /^[])}]$/)
		if (!deep)
			return i
	}
	exit 1
}

# What is "" goes.
function compact(  i, k) {
	for (i = 1; i <= n; i++)
		if (token[i] != "") {
			token[++k] = token[i]
			kind[k] = kind[i]
		}
	n = k
}

# ROWS=6 of a let goes, with a comma, or all of the let.
function drop_constant(i,  before, is_last) {
	value[token[i]] = token[i + 2]
	for (before = i - 1; token[before] == "";)
		before--
	is_last = token[i + 3] == ";"
	if (!is_last || token[before] == "let")
		token[i + 3] = ""
	if (is_last)
		token[before] = ""
	token[i] = token[i + 1] = token[i + 2] = ""
}

# Numbers that have a name in capitals.
function constants(  i) {
	for (i = 2; i <= n; i++)
		if (token[i] ~ /^[A-Z][A-Z_]+$/ && token[i + 1] == "=" &&
		    token[i + 2] ~ /^[0-9]+$/ && token[i + 3] ~ /^[,;]$/)
			drop_constant(i)
	compact()
	for (i = 1; i <= n; i++)
		if (kind[i] == "variable" && token[i] in value) {
			token[i] = value[token[i]]
			kind[i] = ""
		}
}

function is_element(i) {
	return token[i] == "$" && token[i + 1] == "(" &&
		token[i + 3] == ")" && token[i + 2] ~ /^"[a-z]+"$/
}

function elements(  i, id) {
	for (i = 1; i <= n; i++)
		if (is_element(i))
			wanted[token[i + 2]]++
	for (i = 1; i <= n; i++) {
		if (!is_element(i))
			continue
		id = substr(token[i + 2], 2, length(token[i + 2]) - 2)
		if (wanted["\"" id "\""] * length(id) > length(id) + 4) {
			token[i] = "$" id
			kind[i] = "variable"
			token[i + 1] = token[i + 2] = ""
		} else {
			token[i + 1] = "."
			token[i + 2] = id
			kind[i + 2] = "id"
		}
		token[i + 3] = ""
	}
	compact()
}

END {
	elements()
	constants()
	rename()
	shorten()
}
