# SPDX-License-Identifier: Apache-2.0
#
# Expressions for statements: if(a)b(); is a&&b(), what returns early is one
# choice, a function that only returns something is an arrow.  Each piece of
# the script becomes a text; what is known of it besides is in
#	is	"e" an expression as a statement, "r" returned, "i" a jump if
#		`asked` holds, "j" others and then a jump if it holds, "b" a
#		jump, "l" a let, "s" others, "" nothing
#	binds	of an expression, how strongly: 0 a comma, 1 =, 2 ?:, 3 ||,
#		4 &&, 5 other operators, 6 what ! may stand before
#	next	the token after it
# and with "s" whether it is `several` statements and `ends` without a
# semicolon.

# With a blank, if the one would run into the other.
function glue(a, b) {
	return a ((a ~ /[A-Za-z0-9_$]$/ && b ~ /^[A-Za-z0-9_$]/) || \
		(a ~ /[+]$/ && b ~ /^[+]/) || (a ~ /-$/ && b ~ /^-/) ? \
		" " : "") b
}

function in_brackets(s, strong, wanted) {
	return strong < wanted ? "(" s ")" : s
}

function strength(s, before) {
	if (s == ",")
		return 0
	if (s == "=>" || s ~ /^[^=!<>]=$/ || s == "=")
		return 1
	if (s == "?" || s == ":" || s == "??")
		return 2
	if (s == "||")
		return 3
	if (s == "&&")
		return 4
	if (s ~ /^(in|instanceof)$/ || (s ~ /^[-+*\/%&|^<>=!~.]+$/ &&
	    s !~ /^(!|[.]|[.][.][.]|--|[+][+])$/))
		return 5
	return s ~ /^async$/ ? 1 : 6
}

# The tokens i..end of an expression.
function expression(i, end,  s, least, now, more) {
	least = 6
	for (; i <= end; i++) {
		now = strength(token[i])
		if (now < least)
			least = now
		if (token[i] == "{" && token[i - 1] ~ /^(\)|=>)$/) {
			s = s body(i, token[i - 1] == "=>")
			i = next_one - 1
		} else if (token[i] == "(" && is_arrow(i)) {
			s = s arrow_of(i)
			i = next_one - 1
		} else if (token[i] == "(" && is_lone_argument(i)) {
			s = glue(s, out[i + 1])
			i += 2
		} else if (token[i] == "(" && token[i + 1] == ")" &&
			   token[i + 2] == "=>" && token[i - 1] != "async") {
			s = glue(s, lone(i++, ""))
		} else if (token[i] ~ /^[([{]$/) {
			now = matching(i)
			more = expression(i + 1, now - 1)
			s = is_vain(i, now, more) ? glue(s, more) : \
				glue(s, token[i]) more token[now]
			i = now
		} else if ((token[i] != "." || out[i + 1] !~ /^\[/) &&
			   !is_free(i)) {
			s = glue(s, out[i])
		}
	}
	binds = least
	return s
}

# How strongly what stands in (..) must bind beside that; 9: it is no choice.
function beside(s) {
	if (s ~ /^([[({;]|\)|]|}|return)$/)
		return 0
	if (s ~ /^([,?:=]|=>)$/)
		return 1
	return s == "||" ? 3 : s == "&&" ? 4 : 9
}

function is_vain(i, close_at, s,  before, behind) {
	before = beside(token[i - 1])
	behind = token[close_at + 1] ~ /^[[({]$/ ? 9 : \
		token[close_at + 1] == "?" ? 3 : beside(token[close_at + 1])
	return token[i] == "(" && token[i - 1] !~ /^[])}]$/ && \
		s !~ /^({|function|async)/ && s != "" && \
		token[close_at + 1] !~ /^=>?$/ && \
		binds >= before && binds >= behind
}

# (x) => is x =>.
function is_lone_argument(i) {
	return kind[i + 1] == "variable" && token[i + 2] == ")" &&
		token[i + 3] == "=>" && token[i - 1] != "async"
}

function all_of(a, a_binds, not, b, b_binds) {
	binds = not ? 3 : 4
	return in_brackets(a, a_binds, binds) (not ? "||" : "&&") \
		in_brackets(b, b_binds, binds)
}

function choice(a, a_binds, not, b, b_binds, c, c_binds) {
	binds = 2
	b = in_brackets(b, b_binds, 1)
	c = in_brackets(c, c_binds, 1)
	return in_brackets(a, a_binds, 3) "?" (not ? c ":" b : b ":" c)
}

# A function's body, of what opens at i: of an arrow or with a return.
function body(i, arrow, hoist,  end, s) {
	end = matching(i)
	s = statements(i + 1, end, "return", hoist)
	next_one = end + 1
	bare = arrow && is ~ /^[er]$/ && s !~ /^{/ ? s : ""
	bare_binds = binds
	if (arrow && is ~ /^[er]$/)
		return s ~ /^{/ ? "(" s ")" : in_brackets(s, binds, 1)
	return "{" (is == "r" ? glue("return", s) : s) "}"
}

# The statements from i to before `end` as one; `jump` leaves them.  The lets
# of a function that may have more arguments become such: see put_function().
function statements(i, end, jump, hoist,  k, s, is_of, text, strong, cond, \
		    cond_binds, cond_not, more, bare) {
	while (i < end) {
		s = statement(i, jump)
		i = next_one
		if (is == "l" && hoist) {
			s = hoisted(k)
			is = s == "" ? "" : "e"
		}
		if (is == "")
			continue
		is_of[++k] = is
		text[k] = s
		strong[k] = binds
		cond[k] = asked
		cond_binds[k] = asked_binds
		cond_not[k] = asked_not
		more[k] = is ~ /^[sj]$/ && several
		bare[k] = is ~ /^[sj]$/ && ends
	}
	is = s = ""
	several = ends = 0
	for (; k > 0; k--) {
		asked = cond[k]
		asked_binds = cond_binds[k]
		asked_not = cond_not[k]
		s = joined(is_of[k], text[k], strong[k], more[k], bare[k], s,
			jump)
	}
	return s
}

# A statement, and all that comes after it, as one.
function joined(a_is, a, a_binds, a_several, a_ends, b, jump) {
	if (a_is == "b" && a == jump && is == "")
		return ""
	if (a_is == "i" && a == jump && is == "") {
		is = "e"
		binds = asked_binds
		return asked
	}
	if (a_is == "i" && a == jump && is == "e")
		return all_of(asked, asked_binds, !asked_not, b, binds)
	if (a_is == "j")
		return or_else(a, a_binds, a_several, a_ends, b)
	if (a_is == "i" && a == jump && is == "s") {
		b = "if(" negated(asked, asked_binds, asked_not) ")" as_body(b)
		is = "s"
		several = 0
		return b
	}
	if (a_is == "i" && a ~ /^ / && is == "r")
		return choice(asked, asked_binds, asked_not,
			substr(a, 2), a_binds, b, binds)
	if (a_is == "e" && is ~ /^[er]$/) {
		binds = 0
		return a "," b
	}
	if (is == "" && a_is ~ /^[er]$/) {
		is = a_is
		binds = a_binds
		return a
	}
	return in_a_row(a_is, a, a_several, a_ends, b)
}

# if(..){a;return}b; where a is an expression if `simple`.
function or_else(a, a_binds, simple, a_ends, b) {
	if (simple && is == "e")
		return choice(asked, asked_binds, asked_not, a, a_binds, b,
			binds)
	if (simple && is == "") {
		is = "e"
		return all_of(asked, asked_binds, asked_not, a, a_binds)
	}
	if (is != "" && !simple && a !~ /^{/) {
		a = "{" a "}"
		a_ends = 1
	}
	if (is == "")
		ends = a_ends
	else
		b = glue(a_ends ? "else" : ";else", as_body(b))
	is = "s"
	several = 0
	return "if(" (asked_not ? "!" : "") asked ")" a b
}

function negated(s, strong, not) {
	if (not)
		return s
	if (strong == 5 && s ~ /^[][A-Za-z0-9_$."]+[!=]=[][A-Za-z0-9_$."]+$/)
		if (sub(/!=/, "==", s) || sub(/==/, "!=", s))
			return s
	return "!" in_brackets(s, strong, 6)
}

function in_a_row(a_is, a, a_several, a_ends, b) {
	if (a_is == "i") {
		a = "if(" (asked_not ? "!" : "") asked ")" \
			(a ~ /^ / ? glue("return", substr(a, 2)) : a)
		a_several = a_ends = 0
	}
	if (is == "") {
		several = a_several || a_is == "l"
		ends = a_ends
	} else if (is ~ /^[er]$/) {
		b = is == "r" ? glue("return", b) : b
		several = 1
		ends = 0
	}
	if (is == "s" && a_is == "e" && b ~ /^if\(/) {
		b = "if(" a "," substr(b, 4)
	} else if (a_is == "l" && b ~ /^let[ {[]/) {
		sub(/^let ?/, "", b)
		b = a "," b
		several = 1
	} else {
		several = several || is != ""
		b = a (a_ends || is == "" ? "" : ";") b
	}
	is = "s"
	return b
}

# The token after the statement at i.
function after(i,  end) {
	if (token[i] == "{")
		return matching(i) + 1
	if (token[i] == "function")
		return matching(matching(i + 2) + 1) + 1
	if (token[i] ~ /^(for|while|if)$/) {
		end = after(matching(i + 1) + 1)
		return token[i] == "if" && token[end] == "else" ? \
			after(end + 1) : end
	}
	if (token[i] == "try") {
		end = matching(i + 1) + 1
		if (token[end] == "catch")
			end = matching(matching(end + 1) + 1) + 1
		return token[end] == "finally" ? matching(end + 1) + 1 : end
	}
	for (end = i; token[end] !~ /^[;})]$/; end++)
		if (token[end] ~ /^[([{]$/)
			end = matching(end)
	return end + (token[end] == ";")
}

# What stands alone after if(), else and for().
function alone(i, jump,  end, s) {
	end = after(i)
	s = token[i] == "{" ? statements(i + 1, end - 1, jump) : \
		statements(i, end, jump)
	next_one = end
	return s
}

# The same as it is written there, in braces if it must be.
function as_body(s) {
	if (is == "") {
		ends = 1
		return ";"
	}
	if (is == "s" && (several || s ~ /^(let|function)[ {[]/)) {
		ends = 1
		return "{" s "}"
	}
	if (is == "r")
		s = glue("return", s)
	if (is != "s")
		ends = 0
	return s
}

function statement(i, jump,  t, s, end, stop) {
	t = token[i]
	several = ends = 0
	if (i in starts) {
		is = ""
		next_one = starts[i]
		return ""
	}
	if (t == ";") {
		is = ""
		next_one = i + 1
		return ""
	}
	if (t ~ /^(do|switch|class|{)$/)
		exit 1
	if (t == "if")
		return choosing(i, jump)
	if (t ~ /^(for|while)$/)
		return looping(i)
	if (t == "try")
		return trying(i)
	if (t == "function")
		return declaring(i)
	if (t == "let")
		return letting(i)
	stop = after(i)
	end = stop - (token[stop - 1] == ";" ? 2 : 1)
	s = ""
	if (end > i || t !~ /^(return|break|continue)$/)
		s = expression(i + (t ~ /^(return|throw)$/), end)
	next_one = stop
	several = ends = 0
	is = s == "" ? "b" : t == "return" ? "r" : t == "throw" ? "s" : "e"
	return s == "" ? t : t == "throw" ? glue(t, s) : s
}

function choosing(i, jump,  close_at, a, a_binds, not, b, simple) {
	close_at = matching(i + 1)
	a = expression(i + 2, close_at - 1)
	a_binds = binds
	if ((not = binds == 6 && a ~ /^!/))
		a = substr(a, 2)
	jump = jump != "" && is_left(close_at + 1, jump) ? jump : ""
	b = alone(close_at + 1, jump)
	if (token[next_one] == "else")
		return choosing_else(a, a_binds, not, b)
	asked = a
	asked_binds = a_binds
	asked_not = not
	if (jump != "") {
		simple = is == "e"
		if (!simple)
			b = as_body(b)
		several = simple
		is = "j"
		return b
	}
	if (is == "e")
		return all_of(a, a_binds, not, b, binds)
	if (is == "r" || b ~ /^(return|continue|break)$/) {
		b = is == "r" ? " " b : b
		is = "i"
		return b
	}
	b = as_body(b)
	is = "s"
	several = 0
	return "if(" (not ? "!" : "") a ")" b
}

# Whether what is in braces ends with the jump, and no else follows.
function is_left(i, jump,  end) {
	end = matching(i)
	return token[i] == "{" && token[end - 1] == jump &&
		token[end - 2] ~ /^[;}]$/ && token[end + 1] != "else"
}

function choosing_else(a, a_binds, not, b,  b_is, b_binds, b_text, b_ends, c) {
	b_is = is
	b_binds = binds
	b_text = is == "s" ? "{" b "}" : as_body(b)
	b_ends = is == "s" || ends
	c = alone(next_one + 1)
	if (is == b_is && is ~ /^[er]$/)
		return choice(a, a_binds, not, b, b_binds, c, binds)
	c = as_body(c)
	is = "s"
	several = 0
	return "if(" (not ? "!" : "") a ")" b_text (b_ends ? "" : ";") \
		glue("else", c)
}

function looping(i,  close_at, head, s) {
	close_at = matching(i + 1)
	head = token[i] "(" expression(i + 2, close_at - 1) ")"
	s = as_body(alone(close_at + 1, "continue"))
	is = "s"
	several = 0
	return head s
}

function trying(i,  s, close_at) {
	s = "try{" alone(i + 1) "}"
	if (token[next_one] == "catch") {
		close_at = matching(next_one + 1)
		s = s "catch(" expression(next_one + 2, close_at - 1) ")"
		s = s "{" alone(close_at + 1) "}"
	}
	if (token[next_one] == "finally")
		s = s "finally{" alone(next_one + 1) "}"
	is = "s"
	several = 0
	ends = 1
	return s
}

function declaring(i,  close_at, s) {
	close_at = matching(i + 2)
	s = "function " out[i + 1] "(" expression(i + 3, close_at - 1) ")"
	s = s body(close_at + 1)
	is = "s"
	several = 0
	ends = 1
	return s
}

# A let; its names, the same as assignments, and whether a function in it may
# need what is declared later.
function letting(i,  end, k, from, s, text, names, assigns) {
	end = after(i)
	for (from = i + 1; from < end; from = k + 1) {
		for (k = from; k < end && token[k] !~ /^[,;]$/; k++)
			if (token[k] ~ /^[([{]$/)
				k = matching(k)
		s = expression(from, k - 1)
		text = text "," s
		names = names names_of(from, k - 1)
		if (k > from + 1)
			assigns = assigns "," (s ~ /^{/ ? "(" s ")" : s)
	}
	let_defers = 0
	for (k = i; k < end; k++)
		if (is_function(k))
			let_defers = 1
	let_text = substr(text, 2)
	let_assigns = substr(assigns, 2)
	let_names = names
	next_one = end
	several = ends = binds = 0
	is = is_free(i) ? "e" : "l"
	return is == "e" ? let_assigns : glue("let", let_text)
}

# What is let first, and then what follows on it.
function put_lets(list, s) {
	sub(/^,/, "", list)
	if (list != "" && s ~ /^let[ {[]/)
		sub(/^let ?/, ",", s)
	else if (list != "")
		list = list ";"
	printf "%s%s", list == "" ? "" : glue("let", list), s
}

# The elements have names after the first loop, which finds them.
function shorten(  i, f, end, loop, s) {
	for (f = 1; token[f] != "{"; f++)
		printf "%s", token[f]
	end = matching(f)
	find_functions()
	s = pool()
	for (i in once)
		place(i)
	for (i = 1; i <= nfunctions; i++)
		if (!(i in once))
			s = s "," out[functions[i] + 1] "=" function_of(i)
	for (loop = f + 1; loop < end && token[loop] != "for";)
		loop = loop in starts ? starts[loop] : after(loop)
	if (loop < end)
		loop = after(loop)
	printf "{"
	put_lets(s, statements(f + 1, loop))
	printf ";"
	put_lets(elements_of(), statements(loop, end))
	print "}"
}
