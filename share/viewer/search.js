/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Search: plain text or /regexp/, without regard to case unless the text
 * has capitals, in names as they are and as they are shown.  Decided once per
 * name.
 */
import { max } from "./numbers.js";
import { d, view } from "./state.js";
import { u32 } from "./data.js";
import { makeRegexp } from "./regexp.js";
import { passed } from "./rewrite.js";
import { $, remember } from "./view.js";
import { nameRuns } from "./trunk.js";
import { drawSoon, shownOf } from "./draw.js";
import { diff } from "./diff.js";
import { tree } from "./tree.js";
import { fillPane, groupOf, tabs } from "./pane.js";
import { grouped, percent, point } from "./page.js";

export const search = {
	text: "",
	guessed: false,	// it is only found when read as a regular expression
	error: "",	// why it is not a regular expression
	hit: null,	// by symbol: 1 where it matches
	before: null,	// matches before a place of d.node
	matching: [],	// matching nodes in sight of the zoom
	at: -1,
};

// Which of the table's groups a text such as "pkg:java.util" names.
export function groupTab(text) {
	return [...tabs].slice(1, 6).find(([, [prefix]]) =>
		text.startsWith(prefix));
}

// A test whether a name has a text in it, or its symbol's caption has.  Without
// a symbol the name is what is shown.  Packages may be spelt with slashes.
export function containing(text, fold) {
	const cased = (s) => fold ? s.toLowerCase() : s, wanted = cased(text);
	const dotted = /^[\w$]+(\/[\w$]+)+/.test(wanted) ?
		wanted.replaceAll("/", ".") : wanted;
	// All other captions have the text only where their name has it: see
	// data.js.  The first bit: dots for slashes.
	const bits = dotted.includes(".") ? 3 : 2;
	const differs = (s) => dotted !== wanted || d.spelling[0][s] & bits;
	return (name, s) => cased(name).includes(wanted) ||
		(s === undefined ? cased(name).includes(dotted) :
		differs(s) && cased(shownOf(s)).includes(dotted));
}

// "=a" is the name a, or where there is none, what is shown as a.
function equalling(text) {
	return d.names.includes(text) ? (name) => name === text :
		(name, s) => shownOf(s) === text;
}

// A test of a name and its symbol: "=a" is not another name, "pkg:a" a package
// and what is below; parts will do of how a frame ran and of a thread.
export function matcher(text) {
	if (text[0] === "=")
		return equalling(text.slice(1));
	const group = groupTab(text);
	if (group) {
		const [tab, [prefix, of]] = group;
		text = text.slice(prefix.length);
		if (tab === "Packages")
			return (s, i) => (groupOf(tab, i) + ".")
				.startsWith(text + ".");
		text = text.toLowerCase();
		return (s, i) => groupOf(tab, i).toLowerCase() === text ||
			(/^[KT]/.test(tab) &&
				of(i).toLowerCase().includes(text));
	}
	const re = /^\/(.*?)\/?$/s.exec(text);
	const capitals = /[A-Z]/.test(text.replace(/\\./g, ""));
	if (re && re[1]) {
		const r = makeRegexp(re[1], capitals ? "u" : "iu");
		return (name, s) => r.test(name) || r.test(shownOf(s));
	}
	return containing(text, !capitals);
}

// What a text that is found nowhere matches as a regular expression, if it
// looks like one.
function guess(text) {
	if (/^[=/]/.test(text) || groupTab(text) || !/[|*+?^$([\\]/.test(text))
		return null;
	try {
		const hit = passed(matcher("/" + text + "/"));
		return hit.includes(1) ? hit : null;
	} catch (e) {
		return null;
	}
}

function setHits(text) {
	search.hit = passed(matcher(text));
	const hit = search.hit.includes(1) ? null : guess(text);
	if (hit) {
		search.hit = hit;
		search.guessed = true;
	}
}

export function setSearch(text) {
	if (text === search.text)
		return;
	search.text = text;
	search.hit = search.before = null;
	search.guessed = false;
	search.error = "";
	if ($("search").value !== text)
		$("search").value = text;
	if (text && text !== "/") {
		try {
			setHits(text);
		} catch (e) {
			search.error = e.message;
		}
	}
	$("search").className = search.error && "bad";
	$("search").title = search.error;
	$("search").ariaInvalid = !!search.error;
	countBefore();
	fillPane();
}

export function countBefore() {
	const { hit } = search, { named } = d, n = named.length;
	nameRuns(hit);
	if (!hit)
		return;
	const before = search.before = d.matched ||= u32(n + 1);
	for (let k = 0, sum = 0; k < n; k++)
		before[k + 1] = sum += hit[named[k]];
}

// The share of the view that matches; a frame within a match adds nothing.
export function count() {
	const list = [], f = view.focus, { hit } = search;
	const { name, total, end, split } = d, last = end[f], { open } = tree;
	let sum = 0, inside = 0, unseen = 0, over = 0;

	search.matching = list;
	search.at = -1;
	for (const id of ["prev", "next", "only", "without"])
		$(id).hidden = !hit;
	if (!hit) {
		$("found").textContent = search.error && "no regexp";
		$("found").title = search.error;
		return;
	}
	for (let i = f; i < last; i++) {
		if (i === split) {
			over = sum;
			sum = inside = 0;
		}
		if (!hit[name[i]])
			continue;
		if (!total[i] && !open) {
			unseen++;
			continue;
		}
		list.push(i);
		if (i >= inside) {
			sum += total[i];
			inside = end[i];
		}
	}
	$("found").textContent = percent(max(sum, over), d.total[f]) + " · " +
		grouped(list.length) + (search.guessed ? " as regexp" : "");
	$("found").title = unseen ? grouped(unseen) + " more in the " +
		(diff.column ? "before" : "after") + " view" : "";
}

export function find(text) {
	setSearch(text);
	count();
	drawSoon();
	remember();
}

// To the next (1) or previous (-1) match.
export function step(by) {
	const n = search.matching.length;
	if (!n)
		return;
	search.at = search.at < 0 && by < 0 ? n - 1 : (search.at + by + n) % n;
	point(search.matching[search.at]);
	$("found").textContent = $("found").textContent
		.replace(/· [\d,/]*/, "· " + grouped(search.at + 1) +
			"/" + grouped(n));
}
