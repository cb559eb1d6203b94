# SPDX-License-Identifier: Apache-2.0
#
# Names of one letter for what is named most.  Of our properties each has one
# name everywhere; of variables and strings that are known everywhere each has
# another one; other variables have theirs in each function apart.  A property
# of theirs that is named often, and a string, becomes a variable that holds
# it: .length is [a].

# Each function outside of others is a chunk, and each value of what is
# declared between them.
function chunks(  i, depth, inside, names, nchunks) {
	for (i = 1; i <= n; i++) {
		if (token[i] ~ /^[([{]$/) {
			depth++
			if (depth == 2 && !inside)
				names = token[i - 1] ~ /^(let|,)$/
		}
		if (depth == 1 && token[i] == "function" && !inside) {
			inside = ++nchunks
			functions[++nfunctions] = i
			global[token[i + 1]] = 1
		}
		if (depth == 1 && !inside && token[i] ~ /^[,;]$/)
			nchunks++
		chunk_of[i] = inside ? inside : nchunks
		if (kind[i] == "both")
			tied[token[i], chunk_of[i]] = 1
		if (!inside && kind[i] ~ /^(variable|both)$/ &&
		    (depth == 1 ? token[i - 1] ~ /^(let|,)$/ : \
		     depth == 2 && names))
			global[token[i]] = 1
		if (token[i] ~ /^[])}]$/ && --depth == 1 && inside &&
		    token[i] == "}")
			inside = (++nchunks) * 0
	}
}

# What has one name: of our properties, of all that is known everywhere, of a
# chunk; "" of what keeps its own.
function key_of(i,  s) {
	s = token[i]
	if (kind[i] == "." || kind[i] == "key")
		return s in own ? "." s : kind[i] == "." ? "\"" s "\"" : ""
	if (kind[i] == "id")
		return "\"" s "\""
	if (kind[i] == "string")
		return s
	if (kind[i] !~ /^(variable|both)$/)
		return ""
	if (s in often)
		return "=" s
	if (s in taken)
		return ""
	return s in global || s ~ /^[$]./ ? s : s " " chunk_of[i]
}

# Whether a variable pays for a property or string: what is named very often
# has one letter.
function pays(s,  n, strings, letters) {
	n = length(s) - (s ~ /^=/)
	strings = uses[s] - props[s]
	letters = uses[s] > 60 ? 1 : 2
	return props[s] * (n - 3 - letters) + strings * (n - letters) > \
		n + (is_plain(s) ? 2 : 4)
}

# A string that may stand in a list of such.
function is_plain(s) {
	return s ~ /^"[^~\\]*"$/
}

function use(key, i,  c) {
	if (!uses[key]++)
		named[++nnamed] = key
	props[key] += kind[i] ~ /^([.]|id)$/
	for (c = chunk_of[i]; c != ""; c = host[c])
		chunks_of[key] = chunks_of[key] " " c
}

function count(  i, key) {
	for (i = 1; i <= n; i++) {
		if (token[i] in told)
			exit 1
		if (kind[i] ~ /^(\.|key|both)$/ && !(token[i] in own))
			kept[token[i]]++
		if (kind[i] == "both" && token[i] in own)
			use("." token[i], i)
		if ((key = key_of(i)) != "")
			use(key, i)
	}
	for (i = 1; i <= nnamed; i++) {
		if (uses[named[i]] > most)
			most = uses[named[i]]
		as_often[uses[named[i]]] = as_often[uses[named[i]]] " " i
	}
}

function is_local(key) {
	return key !~ /^["=]/ && key ~ / /
}

# One after the other, the one with the most uses first.
function each_named(what,  u, i, m, list) {
	for (u = most; u > 0; u--) {
		m = split(as_often[u], list, " ")
		for (i = 1; i <= m; i++)
			give_name(named[list[i]], what)
	}
}

function give_name(key, what) {
	if (key in to)
		return
	if (what == "property" && key ~ /^[.]/)
		to[key] = property_name()
	if (what == "global" && key !~ /^[.]/ && !is_local(key) &&
	    (key !~ /^["=]/ || pays(key)))
		to[key] = global_name(key)
	if (what == "tied" && is_local(key))
		keep_tied(key)
	if (what == "local" && is_local(key))
		to[key] = local_name(key)
}

function name_of(k, letters) {
	return (k < 54 ? "" : substr(letters, int(k / 54), 1)) \
		substr(letters, k % 54 + 1, 1)
}

function property_name(  s) {
	do
		s = name_of(nproperties++, small)
	while (s in kept || s in taken)
	return s
}

# The letters that are properties of one letter last.
function global_name(key,  s, i, m, list) {
	do
		s = name_of(nglobals++, large)
	while (s in taken)
	m = split(chunks_of[key], list, " ")
	for (i = 1; i <= m; i++)
		used[s, list[i]] = 1
	return s
}

# Where it is named as a property is: the same name, if that is short.
function keep_tied(key,  chunk, s) {
	chunk = substr(key, index(key, " ") + 1)
	s = substr(key, 1, index(key, " ") - 1)
	if (!((s, chunk) in tied))
		return
	if (s in own)
		s = to["." s]
	if (length(s) > 2 || (s, chunk) in used)
		return
	used[s, chunk] = 1
	to[key] = s
}

function local_name(key,  k, s, chunk) {
	chunk = substr(key, index(key, " ") + 1)
	do
		s = name_of(k++, small)
	while ((s, chunk) in used || s in taken)
	used[s, chunk] = 1
	return s
}

function variable_of(i,  key) {
	key = key_of(i)
	return key in to ? to[key] : token[i]
}

function spell(i,  s, key, property) {
	s = token[i]
	if (s == "true" || s == "false")
		return s == "true" ? "!0" : "!1"
	key = key_of(i)
	if (kind[i] == "both") {
		property = s in own ? to["." s] : s
		if (key in to && to[key] != property)
			return property ":" to[key]
		return property
	}
	if (key == "" || !(key in to))
		return s ~ /^[$]./ && kind[i] == "variable" ? \
			"$." substr(s, 2) : s
	return kind[i] ~ /^([.]|id)$/ && key ~ /^"/ ? "[" to[key] "]" : to[key]
}

# The variables that hold strings, and second names.
function pool(  i, s, names, strings, key) {
	for (i = 1; i <= nnamed; i++) {
		key = named[i]
		if (key !~ /^["=]/ || !(key in to))
			continue
		if (is_plain(key)) {
			names = names "," to[key]
			strings = strings "~" substr(key, 2, length(key) - 2)
		} else {
			s = s "," to[key] "=" substr(key, 1 + (key ~ /^=/))
		}
	}
	return "[" substr(names, 2) "]=\"" substr(strings, 2) \
		"\".split(\"~\")" s
}

# The elements that are variables, once there are any.
function elements_of(  i, s) {
	for (i = 1; i <= nnamed; i++)
		if (named[i] ~ /^[$]./ && named[i] in to)
			s = s "," substr(named[i], 2) ":" to[named[i]]
	return s ? "{" substr(s, 2) "}=" to["$"] : ""
}

function rename(  i, letters, rare, c) {
	letters = "abcdefghijklmnopqrstuvwxyz"
	small = letters toupper(letters) "$_"
	chunks()
	find_once()
	count()
	for (i = 1; i <= 26; i++) {
		c = substr(letters, i, 1)
		large = kept[c] ? large : large c
		rare = kept[c] ? c rare : rare
	}
	large = toupper(letters) "$_" large rare
	each_named("property")
	each_named("global")
	each_named("tied")
	each_named("local")
	for (i = 1; i <= n; i++)
		out[i] = spell(i)
}
