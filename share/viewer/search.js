/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Search: plain text or /regexp/, without regard to case unless the text
 * has capitals.  Decided once per name.
 */
const search = {
	text: "",
	hit: null,	// by symbol: 1 where it matches
	before: null,	// matches before a place of d.node
	matching: [],	// matching nodes in sight of the zoom
	at: -1,
};

// Which of the table's groups a text such as "pkg:java.util" names.
function groupTab(text) {
	return [...tabs].slice(1, 6).find(([, [prefix]]) =>
		text.startsWith(prefix));
}

// A test of a name and its symbol.  "=a" is no other name, "pkg:a" a package
// and what is below; parts will do of how a frame ran and of a thread.
function matcher(text) {
	if (text[0] === "=")
		return (s) => s === text.slice(1);
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
		const r = new RegExp(re[1], capitals ? "u" : "iu");
		return (s) => r.test(s);
	}
	if (capitals)
		return (s) => s.includes(text);
	text = text.toLowerCase();
	return (s) => s.toLowerCase().includes(text);
}

function setSearch(text) {
	if (text === search.text)
		return;
	search.text = text;
	search.hit = search.before = null;
	$("search").className = "";
	if ($("search").value !== text)
		$("search").value = text;
	if (text && text !== "/") {
		try {
			search.hit = passed(matcher(text));
		} catch (e) {
			$("search").className = "bad";
			$("search").title = e.message;
		}
	}
	countBefore();
	fillPane();
}

function countBefore() {
	const { hit } = search, { named } = d, n = named.length;
	if (!hit)
		return;
	const before = search.before = d.matched ||= u32(n + 1);
	for (let k = 0, sum = 0; k < n; k++)
		before[k + 1] = sum += hit[named[k]];
}

// The share of the view that matches; a frame within a match adds nothing.
function count() {
	const list = [], f = view.focus, { hit } = search;
	const { name, total, end, split } = d, last = end[f], { open } = tree;
	let sum = 0, inside = 0, unseen = 0, over = 0;

	search.matching = list;
	search.at = -1;
	for (const id of ["prev", "next", "only"])
		$(id).hidden = !hit;
	if (!hit) {
		$("found").textContent = search.text.length > 1 ? "?" : "";
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
		grouped(list.length);
	$("found").title = unseen ? grouped(unseen) + " more in the " +
		(diff.column ? "before" : "after") + " view" : "";
}

function find(text) {
	setSearch(text);
	count();
	drawSoon();
	remember();
}

// To the next (1) or previous (-1) match.
function step(by) {
	const n = search.matching.length;
	if (!n)
		return;
	search.at = search.at < 0 && by < 0 ? n - 1 : (search.at + by + n) % n;
	point(search.matching[search.at]);
	$("found").textContent = $("found").textContent
		.replace(/·.*/, "· " + grouped(search.at + 1) +
			"/" + grouped(n));
}
