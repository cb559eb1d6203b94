/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A comparison: column 0 is before, 1 is after.  Widths are those of one of
 * them, or of the larger; colours show the change: the ramp is the page's
 * first colours.  Counts stay what they are: before is scaled as it is shown.
 */
import { abs, max, min } from "./numbers.js";
import { d, view } from "./state.js";
import { f64, place, u8 } from "./data.js";
import { $, on, remember, show, widths } from "./view.js";
import { sideName } from "./about.js";
import { RAMP, captionOf, fillOf } from "./draw.js";
import { countBefore, find } from "./search.js";
import { resort, tree } from "./tree.js";
import { button, fillPane, pane, sumsOf } from "./pane.js";
import { rateOf } from "./time.js";
import { showSteps } from "./menu.js";
import { amount, element, grouped, joined, percent, plain, setCurrent, short }
	from "./page.js";

export const diff = {
	column: 0,	// of the widths; 2: of the larger
	noise: 0,	// sigmas of chance that stay grey
	scale: 1, step: null,
	shown: "",	// what of a frame the colours show
	most: {},	// the largest changes
	lost: [],	// by node: what its callees have on the other side only
};
const NONE = 5;
export const diffKeys = [["Before, after, larger", "b"], ["Colours", "k"]];
const sides = ["before", "after", "larger"];

// How it opens, as a link has it: widths, colours, norm, noise; r: durations,
// u: of how many runs the columns are sums.
const opening = () => Object.fromEntries(new URLSearchParams(d.opens ||
	"w=after&c=self&n=time&s=" + (d.unit === "samples" ? 2 : 0)));
const took = () => (opening().r || "").match(/\d+/g) || [];
const runs = () => (opening().u || "").match(/\d+/g);

// How much longer after took; nothing: not known.
function rate() {
	const [a, b] = took();
	return d.opens ? b / a : rateOf(view.steps);
}

export function before(key, i) {
	return d.columns[0][key][i] * diff.scale;
}

export function after(key, i) {
	return d.columns[1][key][i];
}

function change(key, i) {
	return after(key, i) - before(key, i);
}

// libflame/draw/palette.c has the same.
function stepOf(change, most) {
	const size = abs(change);
	let k = 0;
	while (k < NONE && 25 * size > max(k * k, 1e-9) * most)
		k++;
	return change < 0 ? NONE - k : NONE + k;
}

// Within what chance makes of two counts there is no change.
function stepAt(key, i) {
	const by = change(key, i), far = diff.noise * Math.sqrt(
		before(key, i) * diff.scale + after(key, i));
	return stepOf(abs(by) < far ? 0 : by, diff.most[key]);
}

const sumsOfColumns = (g) => g.columns.map((c) => c.total[0]);

export function recolor() {
	d.compares && countLone();
	const [a, b] = sumsOfColumns(view.whole);
	const by = $("by").value, norm = $("norm").value;
	const [m, n] = runs() || [];
	diff.scale = norm === "time" ? rate() || 1 :
		norm === "runs" ? n / m :
		norm === "total" && a && b ? b / a : 1;
	for (const key of ["self", "total"]) {
		let most = 0;
		for (let i = 0; i < d.n; i++)
			most = max(most, abs(change(key, i)));
		diff.most[key] = most;
	}
	// Callers have no self of their own.
	diff.shown = view.expanded ? "total" : by;
	diff.step = by === "kind" ? null : u8(d.n);
	for (let i = 0; diff.step && i < d.n; i++)
		diff.step[i] = stepAt(diff.shown, i);
}

// Callees that have no width in this view.
export function findLost() {
	const lost = diff.lost = f64(d.n), now = d.columns[diff.column];
	for (let i = d.n; now && --i > 0;)
		if (!now.total[i])
			lost[d.parent[i]] += d.columns[1 - diff.column].total[i];
}

// A twentieth of what it has here, and no chance.
const isLost = (i) => diff.lost[i] >= max(d.total[i] / 20,
	diff.noise ** 2, 1e-9);

// "Gone below it: 200 samples"
export const lostText = (i) => diff.lost[i] && d.total[i] ?
	(diff.column ? "Gone" : "New") + " below it: " + amount(diff.lost[i]) : "";

// What its colour says, as a number.
export const numberOf = (i) => diff.step && diff.step[i] !== NONE ?
	" " + signed(change(diff.shown, i)) : "";

// Of both columns the larger of what a frame's callees leave, and sums.
export function larger({ n, parent, split, columns }) {
	if (columns.scale === diff.scale)
		return columns.larger;
	const [a, b] = columns.map((c) => Float64Array.from(c.total));
	const total = f64(n), self = f64(n);
	for (let i = n; i--;) {
		const up = parent[i];
		total[i] += self[i] = max(0, a[i] * diff.scale, b[i]);
		if (i && (up || !split || i < split)) {
			total[up] += total[i];
			a[up] -= columns[0].total[i];
			b[up] -= columns[1].total[i];
		}
	}
	columns.scale = diff.scale;
	return columns.larger = { total, self };
}

// Whether a frame has weight on one side only, more than chance makes of none,
// and which that is.
const isBeyond = (weight) => weight > 0 && weight >= diff.noise ** 2;
export const isLone = (i) => d.columns.some((c, k) => !c.total[i] &&
	isBeyond(d.columns[1 - k].total[i]));
const isGone = (i) => d.columns[0].total[i] > 0;
export const loneWord = (i) => isGone(i) ? "gone" : "new";

const sign = (n) => n < 0 ? "−" : "+";
const signed = (n) => n ? sign(n) + plain(abs(n)) : "±0";

// "+12.3%"; "new" or "gone".
function relative(a, b) {
	if (!a || !b)
		return b ? "new" : a ? "gone" : "";
	const p = (b - a) / a * 100;
	return sign(p) + (abs(p) < 1000 ? abs(p).toFixed(1) :
		grouped(abs(p))) + "%";
}

function points(a, b) {
	return sign(b - a) + abs((b - a) * 100).toFixed(2) + " points";
}

const times = (by) => by === 1 ? "" : " × " + by.toPrecision(3);

// 1,234 -> 1,250 samples (+16, +1.3%)
function changeText(a, b, scale = 1, [shownA, shownB] = [a, b]) {
	return plain(shownA) + times(scale) + " → " + amount(shownB) + " (" +
		joined(", ", signed(b - a * scale), relative(a * scale, b)) + ")";
}

// The sums of all, and of a run.
export function sumText(sums) {
	const [a, b] = sums.map(Number), [m, n] = runs() || [];
	return n ? plain(sums[0]) + " → " + amount(sums[1]) + " in " + m +
		" and " + n + " runs; a run " + changeText(a / m, b / n) :
		changeText(a, b, 1, sums);
}

export function describeChange(i) {
	const all = sumsOfColumns(view.whole), [a, b] = d.columns;
	return changeText(a.total[i], b.total[i], diff.scale) + ", " +
		percent(a.total[i], all[0]) + " → " +
		percent(b.total[i], all[1]) + " of all" +
		(a.self[i] || b.self[i] ? "; self " + plain(a.self[i]) + " → " +
			plain(b.self[i]) + " (" + signed(change("self", i)) +
			")" : "");
}

// Counts as they are, and, where that is what is compared, before as scaled.
export function changeTable(i) {
	const line = (tag, head, first, scaled, ...texts) => element("tr", "",
		element("th", head), ...[first, ...times(diff.scale) &&
			[scaled], ...texts].map((s) => element(tag, s)));
	const table = element("table", "", line("th", "", sideName(0),
		times(diff.scale), sideName(1), "Change"));
	table.className = "changes";
	for (const [key, head] of [["total", "Total"], ["self", "Self"]]) {
		const a = before(key, i), b = after(key, i);
		const [p, q] = d.columns.map((c, k) => c[key][i] /
			max(view.whole.columns[k].total[0], 1));
		const word = key === "total" || (a && b) ? relative(a, b) : "";
		table.append(line("td", head, plain(d.columns[0][key][i]),
			plain(a), plain(b),
			signed(b - a) + (word && " (" + word + ")")));
		if (p || q)
			table.append(line("td", "", percent(p, 1), "",
				percent(q, 1), points(p, q)));
	}
	return table;
}

// Columns of the tree: see treeColumns().
export function changeColumns() {
	const size = (key) => (i) => abs(change(key, i));
	return [
		["Before", (i) => plain(before("total", i)),
			(i) => before("total", i)],
		["After", (i) => plain(after("total", i)),
			(i) => after("total", i)],
		["Change", (i) => signed(change("total", i)), size("total"),
			"total"],
		["", (i) => relative(before("total", i), after("total", i)),
			size("total")],
		["Self change", (i) => change("self", i) &&
			signed(change("self", i)), size("self"), "self"],
	];
}

export function colorChange(cell, key, i) {
	const by = change(key, i);
	if (by)
		cell.style.backgroundColor = fillOf(stepAt(key, i));
}

// Columns of the table: see paneColumns().
export function changesOf([a, b], facet) {
	return (facet ? ["total"] : ["self", "total"]).map((key) => {
		const by = (k) => b[key][k] - a[key][k] * diff.scale;
		return ["Δ " + key, by, signed, (k) => abs(by(k))];
	});
}

// What flame-diff --runs found, as markup with the frames' names in buttons.
function fillFindings(most) {
	most.replaceChildren($("findings").content.cloneNode(true));
	for (const e of most.querySelectorAll("button"))
		e.onclick = () => find("=" + e.value);
}

/*
 * What changed most, in a sentence: of the functions whose own weight moved
 * farther than chance makes of two counts, the one that moved farthest.
 */
export function fillMost() {
	const most = $("most"), [a, b] = view.whole.columns;
	most.hidden = !d.compares;
	if (!d.compares)
		return;
	if ($("findings"))
		return fillFindings(most);
	const { names, columns: [p, q], first } = sumsOf("Functions");
	const { scale } = diff, by = (k) => q.self[k] - p.self[k] * scale;
	const sigma = (k) => d.unit === "samples" ?
		Math.sqrt(p.self[k] * scale * scale + q.self[k]) : 0;
	const chance = (k) => abs(by(k)) < (diff.noise || 2) * sigma(k);
	const rank = (k) => abs(by(k)) * (chance(k) ? 1e-9 : 1);
	let best = 0;
	names.forEach((name, k) => {
		if (rank(k) > rank(best))
			best = k;
	});
	const s = first[best], [text, at] = captionOf(s), by1 = by(best);
	const [x, y] = [a.total[0] * scale, b.total[0]];
	most.replaceChildren(!by1 ? "No function's own weight changed." :
		chance(best) ? "No change is larger than chance explains; most: " :
			"Changed most: ", ...by1 ? [
		button(text.slice(at), () => find("=" + d.names[s]),
			{ title: "Mark it" }),
		": self " + changeText(p.self[best], q.self[best], scale) +
		(sigma(best) ? ", " + (abs(by1) / sigma(best)).toFixed(1) +
			" σ" : "") + "."] : []);
	most.append(...moreChanges(best));
	if (abs(x - y) > 0.2 * max(x, y) && x && y)
		most.append(" The totals differ: " + relative(x, y) + ". ",
			button("Compare at equal totals", () => {
				$("norm").value = "total";
				repaint();
			}));
}

const TRUNK = 0.95;
// Code of the platform and of engines; what Spark generates is the query's.
const platform = /^(\[|<|java|jdk|sun[./]|com[./]sun[./]|scala[./]|kotlin[./]|org[./]apache[./](spark|hadoop)[./](?!.*Generated(Class|Iter)))/;
// Names of text have no types.
const hasJava = (names) => d.type.some((t) => t > 0 && t < 4) ||
	names.some((name) => name.startsWith("java/"));
const isOwn = (s, java) => !platform.test(d.names[s]) && !(java &&
	("4568".includes(d.type[s]) || !/^[^:]+\.[^:]+$/.test(d.names[s])));

const shortName = (s) => {
	const [text, at, method] = captionOf(s);
	return short(text.slice(text.length - at > 40 ? method : at), 60);
};

/*
 * Two more functions whose own weight moved farther than chance, and three of
 * the own code by what they call, too: of a way whose frames all moved as far
 * as one another, one.
 */
function moreChanges(best) {
	const { names, columns: [p, q], first } = sumsOf("Functions"), { scale } = diff;
	const java = hasJava(names);
	const sums = view.whole.columns.map((c) => c.total[0]);
	const moved = (key, test) => {
		const by = (k) => q[key][k] - p[key][k] * scale;
		const far = (k) => d.unit === "samples" ? (diff.noise || 2) *
			Math.sqrt(p[key][k] * scale * scale + q[key][k]) : 0;
		return [...first.keys()].filter((k) => by(k) &&
			abs(by(k)) >= far(k) && test(k)).map((k) => [by(k), k])
			.sort(([a, j], [b, k]) => abs(b) - abs(a) || j - k);
	};
	const trunk = (k) => [p, q].every(({ total }, c) =>
		total[k] >= sums[c] * TRUNK);
	const own = moved("total", (k) => isOwn(first[k], java) && !trunk(k))
		.filter(([by], at, list) => !at ||
			abs(by - list[at - 1][0]) > 0.05 * abs(by));
	const sentence = (word, list) => list.length ? [" " + word + ": ",
		...list.flatMap(([by, k], at) => [at ? ", " : "",
			button(shortName(first[k]), () => find("=" +
				d.names[first[k]]), { title: "Mark it" }),
			" " + signed(by)]), "."] : [];
	return [...sentence("Then by self", moved("self", (k) => k !== best)
		.slice(0, 2)), ...sentence("By total, of the own code", own.slice(0, 3))];
}

function tellColumn() {
	sides.forEach((id, k) => $(id).ariaPressed = k === diff.column);
	$("lone").textContent = ["gone", "new", "new, gone"][diff.column];
}

export function setColumn(column) {
	diff.column = column;
	tellColumn();
	place(d, widths(d));
	findLost();
	countBefore();
	setCurrent(-1);
}

// From the controls; what they do not know is as they begin.
function readColors() {
	const [, , time, perRun] = $("norm").options;
	time.disabled = !rate();
	perRun.hidden = perRun.disabled = !runs();
	for (const e of [$("by"), $("norm")])
		if (!e.querySelector(":checked:enabled"))
			e.selectedIndex = 0;
	diff.noise = max($("noise").value, 0);
	$("legend").hidden = $("by").value === "kind";
}

function setColors({ c, n, s }) {
	$("by").value = c;
	$("norm").value = n;
	$("noise").value = +s;
	readColors();
}

export function compare(column, replace) {
	let i = view.focus;
	setColumn(column);
	showSteps();
	resort();
	fillPane();
	// It may have no width now.
	while (i && !d.total[i])
		i = d.parent[i];
	show(i, false);
	remember(!replace);
}

function repaint() {
	readColors();
	recolor();
	compare(diff.column, true);
}

export function nextColors() {
	$("by").selectedIndex = ($("by").selectedIndex + 1) % 3;
	repaint();
}

// Lines over the frames that only one side has: rising on new ones.
function hatching(turn) {
	const tile = element("canvas"), c = tile.getContext("2d");
	tile.width = tile.height = 16;
	c.strokeStyle = view.look.text;
	c.globalAlpha = 0.22;
	c.lineWidth = 2;
	for (const x of [-16, 0, 16]) {
		c.moveTo(x - 2, 18);
		c.lineTo(x + 18, -2);
	}
	c.stroke();
	const pattern = view.ctx.createPattern(tile, "repeat");
	pattern.setTransform(new DOMMatrix().scale(turn / 2, 0.5));
	return pattern;
}

// Frames of a list of paintRows() that only one side has; at the right end of
// others, that the other side has more below them.
export function hatchLone(c, list, ratio) {
	const gap = view.row > 6 ? 1 : 0;
	for (let k = 0; d.compares && k < list.length; k += 5) {
		const [i, a, b, y] = list.slice(k, k + 4);
		const lone = isLone(i), wide = (b - a) / ratio;
		const w = lone ? wide : min(wide / 3, 9);
		if (b - a < 2 || !(lone || (wide > 20 && isLost(i))))
			continue;
		c.fillStyle = fillOf(diff.column ? 0 : RAMP - 1);
		c.node = -1;
		if (!lone)
			c.fillRect(b / ratio - w, y / ratio, w, view.row - gap);
		c.fillStyle = view.hatches[+(lone ? isGone(i) :
			diff.column === 1)];
		c.fillRect(b / ratio - w, y / ratio, w, view.row - gap);
	}
}

// Set once more where the theme changes.
export function paintLegend() {
	view.hatches = [1, -1].map(hatching);
	$("ramp").replaceChildren(...d.light.slice(0, RAMP).map((c, k) => {
		const e = element("i");
		e.style.background = fillOf(k);
		return e;
	}));
}

function countLone() {
	const [a, b] = view.whole.columns, n = [0, 0];
	let chance = 0;
	for (let i = 0; i < view.whole.n; i++)
		if (!a.total[i] !== !b.total[i])
			isBeyond(a.total[i] + b.total[i]) ? n[+!b.total[i]]++ :
				chance++;
	$("counts").textContent = joined(" · ", took().map((ns) =>
		amount(+ns, "ns")).join(" → "), grouped(n[0]) + (n[0] === 1 ?
		" frame" : " frames") + " new, " + grouped(n[1]) + " gone" +
		(chance ? "; " + grouped(chance) +
			" may be chance" : ""));
}

// Two columns, or one: as the page came, or as two spans of time are chosen.
export function setCompares(two) {
	$("bar").hidden = !two;
	if (d.compares !== two) {
		d.compares = two;
		diff.column = two ? 1 : 0;
		diff.step = null;
		tree.sort = 0;
		pane.sort = null;
		two && setColors(opening());
	}
	tellColumn();
}

// What is not as the page opens.
export function linkDiff(put) {
	const start = opening(), now = { w: sides[diff.column], c: $("by").value,
		n: $("norm").value, s: diff.noise };
	for (const key in now)
		put(d.compares && now[key] != start[key], key, now[key]);
}

export function restoreDiff(p) {
	const link = { ...opening(), ...Object.fromEntries(p) };
	let column = sides.indexOf(link.w);
	if (column < 0)
		column = 1;
	// A side that has nothing shows nothing.
	if (column < 2 && !sumsOfColumns(view.whole)[column])
		column = 1 - column;
	setColors(link);
	recolor();
	setColumn(column);
}

export function startDiff() {
	sides.forEach((id, k) => on(id, "click", () => compare(k)));
	for (const id of ["by", "norm", "noise"])
		on(id, "change", repaint);
}
