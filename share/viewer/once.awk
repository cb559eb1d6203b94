# SPDX-License-Identifier: Apache-2.0
#
# A function that is named once stands there, unless that is in a loop:
# (x=>x*2)(y) for f(y).  What it names of what is known everywhere is so also
# to those that it stands in: of chunk c that is host[c].

# Locals of a chunk that are called as something known everywhere.
function find_shadows(  i, k, m, deep, end, list) {
	for (i = 1; i <= n; i++) {
		deep += (token[i] ~ /^[([{]$/) - (token[i] ~ /^[])}]$/)
		if (token[i] == "let" && deep > 1) {
			m = split(all_names_of(i), list, /!?,/)
			for (k = 2; k <= m; k++)
				shadows[list[k], chunk_of[i]] = 1
		}
		if (token[i] != "(" || token[i - 1] ~ /^(if|for|while)$/)
			continue
		end = matching(i)
		if (token[end + 1] !~ /^(=>|{)$/)
			continue
		for (k = i + 1; k < end; k++)
			if (token[k - 1] ~ /^([[({,:]|[.][.][.])$/)
				shadows[token[k], chunk_of[k]] = 1
	}
}

function find_loops(  i, k, end) {
	for (i = 1; i <= n; i++) {
		if (token[i] !~ /^(for|while)$/)
			continue
		end = after(i)
		for (k = i; k < end; k++)
			in_loop[k] = 1
	}
}

function chunk_of_function(f) {
	return chunk_of[functions[f]]
}

function find_once(  f, i, at, many, where) {
	find_shadows()
	find_loops()
	for (f = 1; f <= nfunctions; f++)
		at[token[functions[f] + 1]] = f
	for (i = 1; i <= n; i++)
		if (kind[i] ~ /^(variable|both)$/ && token[i] in at &&
		    token[i - 1] != "function") {
			many[at[token[i]]]++
			where[at[token[i]]] = i
		}
	for (f = 1; f <= nfunctions; f++) {
		i = where[f]
		if (many[f] == 1 && kind[i] == "variable" &&
		    !(i in in_loop) && chunk_of[i] != chunk_of_function(f)) {
			once[f] = i
			host[chunk_of_function(f)] = chunk_of[i]
		}
	}
	for (f in once)
		if (is_shadowed(f)) {
			delete host[chunk_of_function(f)]
			delete once[f]
		}
	for (f in once)
		guests[chunk_of[once[f]]] = guests[chunk_of[once[f]]] " " f
}

# Whether one of those that it would stand in calls a local as it calls what
# is known everywhere.
function is_shadowed(f,  i, c) {
	for (i = functions[f]; chunk_of[i] == chunk_of_function(f); i++)
		if (kind[i] ~ /^(variable|both)$/ && token[i] in global)
			for (c = chunk_of[i]; c in host;)
				if ((token[i], c = host[c]) in shadows)
					return 1
	return 0
}

# After those that stand in it.
function place(f,  k, m, list, i) {
	if (f in placed)
		return
	placed[f] = 1
	m = split(guests[chunk_of_function(f)], list, " ")
	for (k = 1; k <= m; k++)
		place(list[k])
	put_once(f, once[f], function_of(f))
}

# Without arguments it is what it does: f() is (a(),b()), or a statement of
# these.
function put_once(f, i, s) {
	if (token[i + 1] token[i + 2] == "()" && bare != "" &&
	    token[functions[f] + 3] == ")") {
		token[i + 1] = token[i + 2] = out[i + 1] = out[i + 2] = ""
		if (token[i - 1] ~ /^[;{})]$/ && token[i + 3] == ";") {
			token[i] = ","
			s = bare
		} else {
			s = in_brackets(bare, bare_binds, 6)
		}
	} else if (token[i - 1] !~ /^[[(,:=]$/ || token[i + 1] !~ /^[]),;}]$/) {
		s = "(" s ")"
	}
	out[i] = s
}
