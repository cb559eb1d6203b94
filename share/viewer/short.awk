# SPDX-License-Identifier: Apache-2.0
#
# Shorter names for a script that embed.sh has stripped of blanks.  `theirs`
# are words that stay, `aliased` those of them that get a second name; `ours`
# are properties that only the script has, `apart` those of them that are also
# strings, of other meaning.
#
# A number with a name in capitals is that number.  What is declared outside
# of functions has one name everywhere, the most frequent the shortest; so
# have our properties.  Other variables have theirs in each function apart.
# A property of theirs that is named often, and a string, becomes a variable
# that holds it: .length is [a].  $("id") is $.id.

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

function add(s) {
	token[++n] = s
	last = substr(s, length(s))
}

# A brace that holds properties, not statements.
function is_object() {
	return last ~ /[(,=:?[&|]/ || token[n] == "return" || token[n] == "let"
}

# Whether a property is named here: "." of an object, "key" with a value,
# "both" where a variable is named with it.
function kind_of(more) {
	if (last == "." && token[n - 1] != ".")
		return "."
	if (substr(open, length(open)) != "o" || last !~ /[{,]/ ||
	    more !~ /[,}:(=]/)
		return "variable"
	return more ~ /[:(]/ ? "key" : "both"
}

function add_word(s, more) {
	kind[n + 1] = kind_of(more)
	known[s] = 1
	add(s)
}

function add_string(s, more) {
	kind[n + 1] = kind_of(more) == "key" ? "" : "string"
	add(s)
}

function add_bracket(c) {
	if (c ~ /[([{]/)
		open = open (c == "{" && is_object() ? "o" : "b")
	else
		open = substr(open, 1, length(open) - 1)
	add(c)
}

BEGIN {
	split(theirs, list)
	for (i in list)
		taken[list[i]] = 1
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
	statement = "^({|if|for|while|do|try|throw|return|break|continue|let)$"
	letters = "abcdefghijklmnopqrstuvwxyz"
	letters = letters toupper(letters)
}

{
	for (i = 1; i <= length; i++) {
		c = substr($0, i, 1)
		if (c ~ /["\047]/ || (c == "/" && (last == "" ||
		    last ~ /[(,=:[!&|?{};\n]/))) {
			j = skip(i, c)
			s = substr($0, i, j - i + 1)
			if (c == "\"")
				add_string(s, substr($0, j + 1, 1))
			else
				add(s)
			i = j
		} else if (match(substr($0, i, 60),
				 /^[A-Za-z_$][A-Za-z0-9_$]*/)) {
			j = i + RLENGTH
			add_word(substr($0, i, RLENGTH), substr($0, j, 1))
			i = j - 1
		} else if (match(substr($0, i, 60), /^[0-9][0-9A-Za-z.]*/)) {
			s = substr($0, i, RLENGTH)
			i += RLENGTH - 1
			sub(/^0\./, ".", s)
			add(s)
		} else if (c == " ") {
			blank[n] = c
		} else if (c ~ /[][(){}]/) {
			add_bracket(c)
		} else {
			add(c)
		}
	}
	token[++n] = "\n"
}

function drop(i) {
	token[i] = kind[i] = blank[i] = ""
}

# ROWS=6 of a let goes, with a comma, or all of the let.
function drop_constant(i,  before, is_last) {
	value[token[i]] = token[i + 2]
	for (before = i - 1; token[before] == "";)
		before--
	is_last = token[i + 3] == ";"
	if (!is_last || token[before] == "let")
		drop(i + 3)
	if (is_last)
		drop(before)
	drop(i)
	drop(i + 1)
	drop(i + 2)
}

# Numbers that have a name in capitals.
function constants(  i, k) {
	for (i = 2; i <= n; i++) {
		if (token[i] ~ /^[A-Z][A-Z_]+$/ && token[i + 1] == "=" &&
		    token[i + 2] ~ /^[0-9]+$/ && token[i + 3] ~ /^[,;]$/)
			drop_constant(i)
	}
	for (i = 1; i <= n; i++) {
		if (token[i] == "")
			continue
		token[++k] = token[i]
		kind[k] = kind[i]
		blank[k] = blank[i]
		if (kind[k] == "variable" && token[k] in value) {
			token[k] = value[token[k]]
			kind[k] = ""
		}
	}
	n = k
}

# $("id"), where the id is a word.
function elements(  i) {
	for (i = 1; i < n - 3; i++)
		if (token[i] == "$" && token[i + 1] == "(" &&
		    token[i + 3] == ")" && token[i + 2] ~ /^"[a-z]+"$/ &&
		    !(token[i + 2] in told)) {
			gsub("\"", "", token[i + 2])
			kind[i + 2] = "id"
			token[i + 1] = "."
			token[i + 3] = ""
		}
}

# Each function outside of others is a chunk, and what is between them; what
# is declared between them is everywhere known.
function chunks(  i, depth, inside, names) {
	inside = 0
	for (i = 1; i <= n; i++) {
		if (token[i] ~ /^[([{]$/) {
			depth++
			if (depth == 3 && !inside)
				names = token[i - 1] ~ /^(let|,)$/
		}
		if (depth == 2 && token[i] == "function" && !inside) {
			inside = ++nfunctions
			starts[inside] = i
			global[token[i + 1]] = 1
			if (token[i - 1] == "async")
				chunk_of[i - 1] = inside
		}
		chunk_of[i] = inside
		if (kind[i] == "both")
			tied[token[i], inside] = 1
		if (!inside && kind[i] ~ /^(variable|both)$/ &&
		    (depth == 2 || (depth == 3 && names)))
			global[token[i]] = 1
		if (token[i] ~ /^[])}]$/ && --depth == 2 && token[i] == "}") {
			ends[inside] = i
			inside = 0
		}
	}
}

# What has one name: everywhere, or in its chunk; "" of what keeps its own.
function key_of(i,  s) {
	s = token[i]
	if (kind[i] == "id" || (kind[i] == "." && !(s in own)))
		return "\"" s "\""
	if (kind[i] == "string")
		return s
	if (s in often && kind[i] == "variable")
		return "=" s
	if (kind[i] !~ /^(variable|both)$/)
		return s in own ? s : ""
	if (s in taken || length(s) < 2)
		return ""
	if (s in global || (s in own && (s, chunk_of[i]) in tied))
		return s
	return s " " chunk_of[i]
}

# Whether a variable of two letters pays for a property or string.
function pays(s,  n, strings) {
	n = length(s) - (s ~ /^=/)
	strings = uses[s] - props[s]
	return props[s] * (n - 5) + strings * (n - 2) > n + 4
}

function name_of(k) {
	return (k < 52 ? "" : substr(letters, int(k / 52), 1)) \
		substr(letters, k % 52 + 1, 1)
}

function count(  i, key) {
	for (i = 1; i <= n; i++) {
		if (token[i] in told)
			exit 1
		if ((key = key_of(i)) != "") {
			if (!uses[key]++)
				named[++nnamed] = key
			props[key] += kind[i] ~ /^(\.|id)$/
		}
	}
}

# The most frequent first: those that are known everywhere, or the others.
function give_names(local,  i, most, next_most, key) {
	for (most = n; most > 0; most = next_most) {
		next_most = 0
		for (i = 1; i <= nnamed; i++) {
			key = named[i]
			if (key in to || (key ~ /^["=]/ && !pays(key)) ||
			    (key !~ /^"/ && key ~ / /) != local)
				continue
			if (uses[key] < most) {
				if (uses[key] > next_most)
					next_most = uses[key]
				continue
			}
			if (local)
				to[key] = local_name(key)
			else
				to[key] = global_name()
		}
	}
}

function global_name(  s) {
	do
		s = name_of(made++)
	while (s in known || s in taken)
	return s
}

function local_name(key,  k, s, chunk) {
	chunk = substr(key, index(key, " "))
	do
		s = name_of(k++)
	while ((s chunk) in used || s in taken)
	used[s chunk] = 1
	return s
}

# The names that a chunk has already.
function occupy(  i, key) {
	for (i = 1; i <= n; i++) {
		key = key_of(i)
		if (key in to)
			used[to[key] " " chunk_of[i]] = 1
		else if (kind[i] ~ /^(variable|both)$/)
			used[token[i] " " chunk_of[i]] = 1
	}
}

# The variables that hold strings.
function pool(  i, s) {
	for (i = 1; i <= nnamed; i++)
		if (named[i] ~ /^["=]/ && named[i] in to)
			s = s "," to[named[i]] "=" substr(named[i],
				1 + (named[i] ~ /^=/))
	return s ? ";let " substr(s, 2) : ""
}

function spell(i,  s, key) {
	s = token[i]
	key = key_of(i)
	if (s == "true" || s == "false")
		return s == "true" ? "!0" : "!1"
	if (!(key in to))
		return s (token[i + 1] ~ /^(true|false)$/ ? "" : blank[i])
	if (kind[i] ~ /^(\.|id)$/ && key ~ /^"/)
		return "[" to[key] "]" blank[i]
	return (kind[i] == "both" && !(s in own) ? s ":" : "") to[key] blank[i]
}

# Whether what is from i to where its depth ends may stand beside &&.
function binds(i,  deep, s) {
	for (; deep || token[i] !~ /^[])};]$/; i++) {
		s = token[i]
		deep += (s ~ /^[([{]$/) - (s ~ /^[])}]$/)
		if (!deep && (s ~ /^[?,|\n]$/ || (s == "=" &&
		    token[i - 1] !~ /^[=!<>]$/ && token[i + 1] != "=")))
			return 0
	}
	return token[i + 1] != "else" || token[i] == ")"
}

# if(a)b(); as a&&b();
function is_and(i,  close_at) {
	close_at = matching(i + 1)
	return binds(i + 2) && token[close_at + 1] !~ statement &&
		binds(close_at + 1)
}

# A token, or what it is the first of; the last one.
function put(i,  j, s) {
	s = token[i]
	# The point goes where a bracket comes.
	if (s == "." && kind[i + 1] ~ /^(\.|id)$/ &&
	    key_of(i + 1) ~ /^"/ && key_of(i + 1) in to)
		return i
	if (s ~ /^[([{]$/)
		depth++
	if (s ~ /^[])}]$/)
		depth--
	if (s == "if" && is_and(i)) {
		j = matching(i + 1)
		put_all(i + 2, j - 1)
		printf "&&"
		return j
	}
	# One let after the other is one, whatever functions are between.
	for (j = i + 1; chunk_of[j] && !chunk_of[i];)
		j++
	if (s == ";" && token[j] == "let" && lets[depth]) {
		printf ","
		return j
	}
	if (s == "let" || s == ";" || (s ~ /^[{}]$/ &&
	    token[i + 1] !~ /^[=,;)]/))
		lets[depth] = s == "let"
	# (x) => is x =>.
	if (s == "(" && kind[i + 1] == "variable" && !kind[i - 1] &&
	    token[i + 2] == ")" && token[i + 3] token[i + 4] == "=>") {
		depth--
		printf "%s", spell(i + 1)
		return i + 2
	}
	printf "%s", spell(i)
	return i
}

function put_all(i, end) {
	for (; i <= end; i++)
		i = put(i)
}

function matching(i,  deep) {
	for (; ; i++) {
		deep += (token[i] ~ /^[([{]$/) - (token[i] ~ /^[])}]$/)
		if (!deep)
			return i
	}
}

# Whether a body only returns something.
function only_returns(i, end,  deep) {
	if (token[i + 1] != "return" || token[i + 2] ~ /^[;}{]$/)
		return 0
	for (; i < end; i++) {
		deep += (token[i] ~ /^[([{]$/) - (token[i] ~ /^[])}]$/)
		if (deep == 1 && token[i] == ";")
			return 0
	}
	return 1
}

# function f(x){return y} as f=x=>y.
function put_function(f,  i, close_at, end) {
	i = starts[f]
	close_at = matching(i + 2)
	end = ends[f]
	printf ",%s=%s", spell(i + 1), token[i - 1] == "async" ? "async" : ""
	if (close_at == i + 4 && token[i - 1] != "async")
		printf "%s", spell(i + 3)
	else
		put_all(i + 2, close_at)
	printf "=>"
	if (only_returns(close_at + 1, end))
		put_all(close_at + 3, end - 1)
	else
		put_all(close_at + 1, end)
}

END {
	constants()
	elements()
	chunks()
	count()
	give_names(0)
	occupy()
	give_names(1)
	for (i = 1; token[i] != "\"use strict\""; i++)
		printf "%s", token[i]
	printf "%s%s", token[i], pool()
	# They are known before anything is done, as functions are.
	for (f = 1; f <= nfunctions; f++)
		put_function(f)
	depth = 2
	lets[depth] = 1
	while (++i <= n)
		if (!chunk_of[i])
			i = put(i)
}
