# SPDX-License-Identifier: Apache-2.0
#
# What functions let as their arguments, where all calls of them are known to
# have none such: f=(x,y=x*2)=>y+x for function f(x){let y=x*2;return y+x}.

# What is declared from i on: a name, or a pattern of them.
function names_of(i,  end, s) {
	end = token[i] ~ /^[{[]$/ ? matching(i) : i
	for (; i <= end; i++)
		if (kind[i] ~ /^(variable|both)$/)
			s = s "," variable_of(i)
	return s
}

# A let with nothing but lets before it, or assignments.
function hoisted(before) {
	if (!before && !let_defers) {
		arguments = arguments "," let_text
		return ""
	}
	arguments = arguments let_names
	binds = 0
	return let_assigns
}

# How many are between brackets; 99: that is not known.
function arguments_of(i,  end, many) {
	end = matching(i)
	many = end > i + 1
	for (i++; i < end; i++) {
		if (token[i] == "...")
			return 99
		if (token[i] ~ /^[([{]$/)
			i = matching(i)
		many += token[i] == ","
	}
	return many
}

# Those that are always called, with no more arguments than they have, or
# with an event.
function find_functions(  f, i, at) {
	for (f = 1; f <= nfunctions; f++) {
		i = functions[f]
		at[token[i + 1]] = f
		room[f] = arguments_of(i + 2)
		if (room[f] == 99)
			room[f] = -1
		starts[i - (token[i - 1] == "async")] = after(i)
	}
	for (i = 1; i <= n; i++) {
		if (!(token[i] in at) || kind[i] !~ /^(variable|both)$/ ||
		    token[i - 1] == "function")
			continue
		f = at[token[i]]
		if (kind[i] == "variable" && token[i + 1] ~ /^[,)]$/ && \
		    is_listener(i))
			listens[f] = 1
		else if (kind[i] == "both" || token[i + 1] != "(" ||
			 arguments_of(i + 1) > room[f])
			room[f] = -1
	}
}

# A let in a block that may be one of the function: `free`, if it has a value,
# no function takes it along, and each use of its names is in one that has
# them, none of them in another.
function is_free(i) {
	return freeing && token[i] == "let" && i in free
}

function find_free(f,  i, end, at, deep, ends_of, total, names, lets, m, k, \
		   list) {
	split("", taken_by)
	split("", last_of)
	split("", free)
	at = matching(functions[f] + 2) + 1
	end = matching(at)
	for (i = functions[f] + 2; i < end; i++)
		if (kind[i] ~ /^(variable|both)$/)
			total[variable_of(i)]++
	for (i = at; i < end; i++) {
		if (is_function(i) && (m = body_of(i)))
			i = matching(m)
		else if (token[i] == "{")
			ends_of[++deep] = matching(i)
		while (deep && i >= ends_of[deep])
			deep--
		if (token[i] == "let")
			names[i] = free_names(i, deep == 1 ? 0 : ends_of[deep])
	}
	for (i in names) {
		m = split(names[i], list, ",")
		for (k = 2; k <= m && taken_by[list[k]] == total[list[k]];)
			k++
		if (m > 1 && k > m)
			free[i] = 1
	}
	for (i in free) {
		m = split(names[i], list, ",")
		for (k = 2; k <= m; k++)
			lets[list[k]] = 1
	}
	for (i in lets)
		arguments = arguments "," i
}

# With => or its keyword, or as a method of an object.
function is_function(i) {
	return token[i] ~ /^(=>|function)$/ || \
		(kind[i] == "key" && token[i + 1] == "(")
}

# The brace of a function that begins here; 0: it is an expression.
function body_of(i) {
	if (token[i] == "=>")
		return token[i + 1] == "{" ? i + 1 : 0
	while (token[i] != "(")
		i++
	return matching(i) + 1
}

# The names of a let, which reach to `end`; of the function's own none.
function free_names(i, end,  from, k, m, s, list, bad) {
	from = i
	bad = !end
	if (token[i - 2] == "for") {
		from = i - 2
		end = after(from) - 1
		bad = 0
	}
	s = all_names_of(i, end)
	m = split(s, list, ",")
	for (k = from; k <= end && !bad; k++)
		bad = is_function(k)
	for (k = 2; k <= m; k++) {
		if (bad || s ~ /^!/ || from <= last_of[list[k]])
			taken_by[list[k]] = -100000
		if (end > last_of[list[k]])
			last_of[list[k]] = end
		taken_by[list[k]] += uses_of(list[k], from, end)
	}
	return bad || s ~ /^!/ ? "" : s
}

function uses_of(name, i, end,  many) {
	for (; i <= end; i++)
		many += kind[i] ~ /^(variable|both)$/ && variable_of(i) == name
	return many
}

# With a ! before them if one has no value.
function all_names_of(i, end,  s, bad) {
	for (; ; i++) {
		s = s names_of(i + 1)
		i++
		if (token[i] ~ /^[{[]$/)
			i = matching(i)
		bad = bad || token[i + 1] !~ /^(=|of)$/
		while (token[++i] !~ /^([,;})]|of)$/)
			if (token[i] ~ /^[([{]$/)
				i = matching(i)
		if (token[i] != ",")
			return (bad ? "!" : "") s
		i--
	}
}

# function f(x){return y} as f=x=>y; if it may have more arguments than it is
# called with, what it lets are such.
function function_of(f,  i, close_at, s, t, inside, kept, \
		     kept_binds) {
	i = functions[f]
	close_at = matching(i + 2)
	inside = expression(i + 3, close_at - 1)
	s = body(close_at + 1, 1)
	s = (close_at <= i + 4 && token[i - 1] != "async" ? \
		lone(i, inside) : "(" inside ")") "=>" s
	kept = token[i - 1] != "async" ? bare : ""
	kept_binds = bare_binds
	if (room[f] >= 0) {
		arguments = inside
		if (listens[f] && !room[f])
			arguments = spare(i, 0, 1)
		find_free(f)
		freeing = 1
		t = body(close_at + 1, 1, 1)
		freeing = 0
		sub(/^,/, "", arguments)
		t = (arguments ~ /^[A-Za-z0-9_$]+$/ ? arguments : \
			"(" arguments ")") "=>" t
		if (length(t) < length(s) && token[i - 1] != "async") {
			s = t
			kept = ""
		}
	}
	bare = kept
	bare_binds = kept_binds
	return (token[i - 1] == "async" ? "async" : "") s
}

# (x)=>{..} inside of others, whoever calls it.
function is_arrow(i,  close_at) {
	close_at = matching(i)
	return token[close_at + 1] == "=>" && token[close_at + 2] == "{" && \
		token[i - 1] != "async" && \
		called_with(i) !~ /^(replace|reduce)/
}

# The same; of those with lets the shorter one.  Listeners get an event, what
# arrays call three things at most: what is let comes after these.
function arrow_of(i,  close_at, inside, kept, m, s, t) {
	close_at = matching(i)
	m = arguments_of(i)
	inside = expression(i + 1, close_at - 1)
	s = inside == "" || is_lone_argument(i) ? lone(i, inside) : \
		"(" inside ")"
	s = s "=>" body(close_at + 2, 1)
	kept = arguments
	arguments = inside spare(i, m, token[i - 1] == "," && \
		is_listener(i) ? 1 : 3)
	t = body(close_at + 2, 1, 1)
	t = "(" arguments ")=>" t
	next_one = matching(close_at + 2) + 1
	arguments = kept
	return m < 99 && length(t) < length(s) ? t : s
}

# What has no argument may have one as well, which takes no brackets.
function lone(i, inside) {
	return inside == "" ? spare(i, 0, 1) : inside
}

# Names for what it may be called with besides the m that it has.
function spare(i, m, most,  k, s, list) {
	for (; m < most; m++) {
		do
			s = name_of(k++, small)
		while ((s, chunk_of[i]) in used || s in taken)
		list = list (m ? "," : "") s
	}
	return list
}

# What is called with it: the name before the bracket that it stands in.
function called_with(i,  deep) {
	for (i--; deep >= 0; i--)
		deep += (token[i] ~ /^[])}]$/) - (token[i] ~ /^[([{]$/)
	return token[i]
}

# It gets an event, or a time, and nothing else.
function is_listener(i) {
	return called_with(i) ~ \
		/^(on|addEventListener|requestAnimationFrame)$/
}
