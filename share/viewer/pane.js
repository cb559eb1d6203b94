/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table beside the graph: sums by function, package or kind of all that
 * the steps have left, whatever is zoomed.  What calls itself counts once.
 */
import { max, min } from "./numbers.js";
import { d, view } from "./state.js";
import { GROUP, f64, typeNames, u32, u8 } from "./data.js";
import { $, measure, on, sandwich } from "./view.js";
import { captionOf, draw } from "./draw.js";
import { containing, search } from "./search.js";
import { changesOf, diff } from "./diff.js";
import { ROW, drawGrid, fillGrid, fitted, gridRow, rowAt } from "./tree.js";
import { facetSums, takeFacet, wants } from "./time.js";
import { save } from "./export.js";
import { openGroup, openMenu, takeText } from "./menu.js";
import { element, percent, plain, short, spelled } from "./page.js";

export const tabs = new Map([
	["Functions", ["=", (s) => d.names[s]]],
	["Classes", ["class:", classOf]],
	["Packages", ["pkg:", packageOf]],
	["Libraries", ["lib:", libraryOf]],
	["Kinds", ["type:", kindOf]],
	["Threads", ["thread:", (s) => d.type[s] === GROUP ? d.names[s] : ""]],
	["Lines", ["=", (s) => d.names[s]]],
]);

// Splits "a.B.run:12" and "run (b.py:12)": [1] is the function, [2] the line.
export const lineOf = (s) => /^(.+?):(\d+)\)?$/.exec(d.names[s]) || [];

// How it ran; where that is not known, its language by its colour.
const languages = { compiled: "Java", "C++, JVM": "C++", Python: "Python",
	JavaScript: "JavaScript" };

function kindOf(s) {
	const { families = [], kinds = d.color } = d;
	return typeNames[d.type[s]] || languages[families[kinds[s]]] || "";
}

export const groupOf = (tab, s) => tabs.get(tab)[1](s) || "(none)";
export const pane = {
	tab: "Functions", sort: null, down: true,	// sort: a column
	of: "",		// lines of this function only
	at: 0, on: "",	// the row in hand; what it is called
	rows: [], columns: [],
};

// Rows are names of frames.
const byName = () => tabs.get(pane.tab)[0] === "=";
// Of samples, not of frames: see time.js.
const facetOf = (tab = pane.tab) => tabs.get(tab)[2];

// Of a caption what is before a place, without the dot.
export const upTo = (text, at) => text.slice(0, at).replace(/[.:/]+$/, "");

export function packageOf(s) {
	const [text, at] = captionOf(s);
	return upTo(text, at);
}

export function classOf(s) {
	const [text, , at] = captionOf(s);
	return upTo(text, at);
}

// module`function, [library] or its path, file.py, two parts of a package.
function libraryOf(s) {
	const m = /^([^`]+)`|^([[/].*)|\(([^():]+):\d+\)$/.exec(d.names[s]);
	return m && d.type[s] !== GROUP ? m[1] || m[2] || m[3] :
		packageOf(s).split(/(?<=[./].*)[./]/)[0];
}

// By number of a group: its name, self and total of each column.
export function sumsOf(tab = pane.tab) {
	const sums = view.whole.columns.sums ||= new Map();
	if (!sums.has(tab))
		sums.set(tab, facetOf(tab) ? facetSums(facetOf(tab)) :
			groupSums(tab));
	return sums.get(tab);
}

export function groupSums(tab, g = view.whole) {
	const ids = new Map(), first = [];
	const of = Uint32Array.from(d.names, (name, s) => {
		const key = groupOf(tab, s);
		if (!ids.has(key))
			ids.set(key, first.push(s) - 1);
		return ids.get(key);
	});
	const { n, name, end } = g;
	const columns = g.columns.map((c) => {
		const self = f64(ids.size), total = f64(ids.size);
		const until = u32(ids.size);
		for (let i = 1; i < n; i++) {
			const k = of[name[i]];
			self[k] += c.self[i];
			if (i >= until[k]) {
				total[k] += c.total[i];
				until[k] = end[i];
			}
		}
		return { self, total };
	});
	return { of, names: [...ids.keys()], first, columns };
}

// Columns: head, value, text of a value.
function paneColumns({ columns, first }) {
	const column = min(diff.column, 1), now = columns[column];
	const sum = view.whole.columns[column].total[0];
	const value = (key) => (k) => now[key][k];
	const share = (n) => percent(n, sum), facet = facetOf();
	const list = [facet ? ["Count", value("total"), plain] :
		["Self", value("self"), share],
		["Total", value("total"), share]];
	if (d.compares)
		list.push(...changesOf(columns, facet));
	if (pane.tab === "Lines")
		list.push(["Line", (k) => +lineOf(first[k])[2], String]);
	return list;
}

export function fillPane() {
	if ($("pane").hidden)
		return;
	const sums = sumsOf(), { names, of } = sums;
	const sifted = containing($("sift").value, true);
	pane.columns = paneColumns(sums);
	pane.sort ??= d.compares ? facetOf() || diff.shown !== "total" ? 2 : 3 : 0;
	const [, value, , by = value] = pane.columns[pane.sort] || [];
	const hit = of && search.hit, seen = u8(names.length);
	if (hit)
		of.forEach((k, s) => seen[k] |= hit[s]);
	const way = pane.down ? 1 : -1, [a, b] = pane.columns;
	const lined = (k) => {
		const [, of] = lineOf(sums.first[k]);
		return pane.of ? of === pane.of : of;
	};
	pane.rows = [...names.keys()].filter((k) => (!hit || seen[k]) &&
		sums.columns.some((c) => c.total[k]) &&
		(pane.tab !== "Lines" || lined(k)) &&
		sifted(names[k], byName() ? sums.first[k] : undefined))
		.sort((x, y) => (by ? by(y) - by(x) :
			names[x] < names[y] ? -1 : 1) * way ||
			b[1](y) - b[1](x) || a[1](y) - a[1](x) || x - y);
	pane.at = max(pane.rows.findIndex((k) => names[k] === pane.on), 0);
	headPane();
	drawPane();
}

export function button(text, does, more, ...children) {
	return Object.assign(element("button", text, ...children),
		{ onclick: does, ...more });
}

function headPane() {
	fillGrid("list", [...pane.columns, [pane.tab]].map(([text], k) =>
		button(text, () => {
			pane.down = k !== pane.sort || !pane.down;
			pane.sort = k;
			fillPane();
		}, { ariaSort: k !== pane.sort ? "none" :
			pane.down ? "descending" : "ascending" })));
	const some = {
		Threads: d.type.includes(GROUP, 1) && !tabs.has("thread"),
		Lines: d.lines ??= d.names.some((name, s) => lineOf(s)[1]),
	};
	$("tabs").replaceChildren(...[...tabs.keys()].filter((name) =>
		some[name] ?? true).map((name) =>
		button(name === "Lines" && pane.of ? "Lines of " + short(pane.of
			.replace(/.*\/| \(.*/g, ""), 40) : name, () =>
			showTab(name), { ariaPressed: name === pane.tab })));
	// On phones the tabs are one row that scrolls.
	$("tabs").querySelector("[aria-pressed=true]")
		?.scrollIntoView({ block: "nearest" });
}

function paneRow(k, place) {
	const { names, first } = sumsOf();
	const cells = pane.columns.map(([, value, text]) => {
		const n = value(k), cell = element("span", n && text(n));
		cell.title = plain(n);
		return cell;
	});
	const c = byName() ? captionOf(first[k]) : [names[k], 0, 0];
	const name = element("span", fitted("list", [c[0].slice(c[1]), 0,
		c[2] - c[1]]), element("i", c[1] && "  " + c[0].slice(0, c[1] - 1)));
	name.title = short(byName() ? spelled(first[k]) : names[k], 1000);
	const facet = facetOf();
	const taken = facet ? wants(facet, view.steps)[k] :
		view.steps.some(({ kind, text }) => kind === "only" &&
			text === lineText(k));
	const row = gridRow("line" + place, place, taken > 0,
		[...cells, name]);
	row.className = (taken < 0 ? "out" : "") + (place === pane.at ?
		" at" : "");
	return row;
}

function drawPane() {
	drawGrid("list", pane.rows, paneRow, "line" + pane.at);
}

// What a search has for a row.
const lineText = (k) => tabs.get(pane.tab)[0] + sumsOf().names[k];

function pick(place) {
	const list = $("list");
	pane.at = place;
	pane.on = sumsOf().names[pane.rows[place]];
	drawPane();
	const y = place * ROW, tall = list.clientHeight - 2 * ROW;
	list.scrollTop = min(max(list.scrollTop, y - tall), y);
}

// Only stacks with it, or none; once more: all.
function takeLine(place, off) {
	const facet = facetOf(), k = pane.rows[place];
	if (k === undefined)
		return;
	pick(place);
	if (facet)
		takeFacet(facet, k, off);
	else if (off)
		takeText("drop", lineText(k).replace(/^=/, ""));
	else
		takeText("only", lineText(k));
	pick(pane.at);
}

function showTab(tab, of = "") {
	Object.assign(pane, { tab, of, sort: null, down: true });
	sift("");
}

export function sift(text) {
	$("sift").value = text;
	fillPane();
}

export function showPane(open) {
	$("pane").hidden = !open;
	$("table").ariaPressed = open;
	fillPane();
	measure();
	draw();
}

// The lines of the function of a frame.
export function showLines(s) {
	const [, of] = lineOf(s);
	if (!of) {
		$("status").textContent = "No line of it is known";
		return;
	}
	showPane(true);
	showTab("Lines", of);
}

export function csv() {
	const { names, columns } = sumsOf();
	const cell = (s) => '"' + s.replaceAll('"', '""') + '"';
	const head = (columns[1] ? [" before", " after"] : [""])
		.flatMap((side) => ["self" + side, "total" + side]);
	return [[pane.tab.toLowerCase(), ...head].map(cell),
		...pane.rows.map((k) => [cell(names[k]),
			...columns.flatMap((c) => [c.self[k], c.total[k]])]),
		""].join("\n");
}

export function listenPane() {
	// Rows move when one is chosen: a second click means the same one.
	let clicked = 0;
	on("list", "scroll", drawPane);
	on("list", "click", (e) => {
		if (e.detail > 1)
			return;
		clicked = pane.rows[rowAt(e)];
		takeLine(rowAt(e), e.altKey);
	});
	on("list", "dblclick", (e) => {
		if (facetOf() || !(clicked >= 0))
			return;
		takeLine(pane.rows.indexOf(clicked), e.altKey);
		if (byName())
			sandwich(sumsOf().first[clicked]);
		else
			sandwich(0, lineText(clicked));
	});
	on("list", "contextmenu", (e) => {
		const k = pane.rows[rowAt(e)];
		if (facetOf())
			takeLine(rowAt(e), true);
		else if (byName() && k >= 0)
			openMenu(e, sumsOf().first[k]);
		else if (k >= 0)
			openGroup(e, lineText(k));
		e.preventDefault();
	});
	on("list", "keydown", (e) => {
		const by = { ArrowUp: -1, ArrowDown: 1, PageUp: -20,
			PageDown: 20 }[e.key];
		if (e.target !== $("list"))
			return;
		if (e.key === "Enter")
			takeLine(pane.at, e.altKey);
		if (!by)
			return;
		e.preventDefault();
		e.stopPropagation();
		pick(min(max(pane.at + by, 0), pane.rows.length - 1));
	});
	on("sift", "input", fillPane);
	on("csv", "click", () => save("csv", [csv()]));
}
