/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is written on a frame: libflame/draw/caption.c in JavaScript; change
 * both.  Only an SVG's script needs it: pages are given their captions.
 */
import { max } from "./numbers.js";

const word = /^[A-Za-z_$<\x80-\uffff]/;
const library = /\.so(?![A-Za-z_$<\x80-\uffff])/;

function looksJava(s) {
	if (!word.test(s) || s[0] === "<")
		return false;
	if (s.includes(":::") || s.includes("$$Lambda"))
		return true;
	if (s.includes("::") || s.includes("(*") || library.test(s))
		return false;
	s = s.split("(", 1)[0];
	if (s.includes(" "))
		return false;
	const slash = s.lastIndexOf("/"), dot = s.lastIndexOf(".");
	if (dot <= slash)
		return slash >= 0 && word.test(s.slice(slash + 1));
	const before = max(slash, s.lastIndexOf(".", dot - 1));
	return word.test(s.slice(dot + 1)) &&
		(/[A-Z]/.test(s[dot + 1]) || /[A-Z$]/.test(s[before + 1]));
}

// "map$1$adapted" as "map λ1".
function lambdaName(s) {
	const m = /^([^0-9$][^$]*)?\$?([0-9]*)/.exec(s);
	return (m[1] ? m[1] + " " : "") + "λ" + m[2];
}

const hidden =
	/\$\$Lambda(?:\$[0-9]*)?(?:.0x[0-9a-f]*|\/[0-9][0-9a-f]*)?/g;

function javaCaption(s) {
	if (s.includes("/") && /^L[a-z]./.test(s))
		s = s.slice(1);
	s = s.replace(hidden, "$$λ");
	const args = s.indexOf("(", 1);
	if (args > 0)
		s = s.slice(0, args);
	s = s.replace(/:::|;::|\//g, ".");
	const inner = s.indexOf("$$anonfun$");
	if (inner >= 0) {
		const head = s.slice(0, inner) + ".";
		const at = s.lastIndexOf(".", inner - 1) + 1;
		return [head + lambdaName(s.slice(inner + 10)), at, head.length];
	}
	const dot = s.lastIndexOf(".");
	let at = 0, method = 0;
	if (dot > 0 && dot + 1 < s.length) {
		method = dot + 1;
		at = s.lastIndexOf(".", dot - 1) + 1;
		if (/[a-z]/.test(s[at]) && /[A-Z]/.test(s[method]))
			at = method;
	}
	const kotlin = s.indexOf("$lambda$", method + 1);
	if (kotlin > 0)
		return [s.slice(0, kotlin) + " " +
			lambdaName(s.slice(kotlin + 8)), at, method];
	const m = /^(?:\$anonfun\$|lambda\$)(.*)/.exec(s.slice(method));
	if (m)
		s = s.slice(0, method) + lambdaName(m[1]);
	return [s, at, method];
}

function skipNested(s, i) {
	for (let depth = 0; i < s.length; i++) {
		if (s[i] === "<" || s[i] === "(" || s[i] === "{")
			depth++;
		if (s[i] === ")" || s[i] === "}" ||
		    (s[i] === ">" && s[i - 1] !== "-"))
			if (--depth <= 0)
				return i + 1;
	}
	return i;
}

const qualifiers = /^(?: const)?(?: volatile)?(?: &&)?(?: &)?(?:&&)?&?/;

function cppCaption(s) {
	let out = "", converts = false;
	s = s.replace(/::h[0-9a-f]{16}$/, "");
	for (let i = 0; i < s.length;) {
		const operator = /(?:^|:)operator<?$/.test(out);
		if (s.startsWith("(anonymous namespace)::", i)) {
			i += 23;
		} else if (s[i] === "(" && operator && !out.endsWith("<")) {
			out += "()";
			i = skipNested(s, i);
		} else if (s[i] === "(" && (!out || out === "decltype")) {
			i = skipNested(s, i);	// of a return type
		} else if (s[i] === "(") {
			i = skipNested(s, i);
			i += qualifiers.exec(s.slice(i))[0].length;
			if (!s.startsWith("::", i))
				break;
		} else if (s[i] === "<" && !operator) {
			i = skipNested(s, i);
		} else if (s[i] === "{") {
			out += "λ";
			i = skipNested(s, i);
		} else if (s.startsWith(" <", i)) {
			i++;
		} else if (s[i] === " " && !operator && !converts) {
			if (s[i + 1] === "[")
				break;
			out = "";
			i++;
		} else {
			converts ||= s[i] === " " && operator &&
				!out.endsWith("<");
			out += s[i++];
		}
	}
	if (out.startsWith("::") && out.length > 2)
		out = out.slice(2);
	const cut = out.length < 3 ? -1 : out.lastIndexOf("::", out.length - 3);
	if (cut < 0)
		return [out, 0, 0];
	const before = cut ? out.lastIndexOf("::", cut - 2) : -1;
	return [out, before < 0 ? 0 : before + 2, cut + 2];
}

function otherCaption(s) {
	const m = /^.[^(]*(?:\(\*[^(]*)*/s.exec(s);
	const text = m[0].replace(/ +$/, "");
	const at = text.lastIndexOf("/", text.length - 2) + 1;
	return [text, at, at];
}

export function caption(name) {
	let s = name.length > 4096 ? name.slice(0, 4096) : name;
	s = s.replace(/_\[.\]$/, "");
	let c;
	if (!s || s[0] === "[")
		c = [s, 0, 0];
	else if (s.includes("::") && !s.includes(";::") && !looksJava(s))
		c = cppCaption(s);
	else if (looksJava(s))
		c = javaCaption(s);
	else
		c = otherCaption(s);
	return c[0] ? c : [s, 0, 0];
}
