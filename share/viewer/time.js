/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Time, threads and other labels: samples are chosen by steps of the kinds t
 * (a span, "12.5-30" in seconds), u (one to compare it with) and f (a value
 * of a facet, "thread:main", or "-thread:main" for all others).
 */
import { ceil, floor, max, min, round } from "./numbers.js";
import { d, view } from "./state.js";
import { f64, totals, u32, u8 } from "./data.js";
import { $, alter, lowest, on, rectOf } from "./view.js";
import { RAMP, drawSoon, fillOf } from "./draw.js";
import { bothEnds } from "./tree.js";
import { tabs } from "./pane.js";
import { chart } from "./flame_chart.js";
import { putAt } from "./menu.js";
import { amount, element, grouped, leave } from "./page.js";

const CELL = 8, ROWS = 8, LARGE_CELL = 32, LINES = 16, GUTTER = 190;
export const heat = {
	of: [], bins: null, cols: 1, rows: ROWS, left: 0, clip: 1,
	cell: CELL,	// its width; as many rows fit as the height has
	lined: false, facet: null, order: null,	// a row for each of its values
	by: "",		// the facet that was asked for; "": threads or pools
	drag: null, second: false,	// the first and last column
};
export const picks = ["t", "u", "f"];
const splitFacet = (text) => /^(-?)(.*?):(.*)/s.exec(text) || [];

// Samples by set of labels, then time: libflame/draw/pack.c.  Times count
// from 1, 0 is none; so do values in sets, and the first one stands for that.
export function samplesOf(number, string, coded, starts) {
	const tick = number() / 1e9, start = number();
	// Seconds from the first tick's begin to the recording's start.
	const lead = starts ? (number() - number()) / 1e9 : 0;
	const facets = Array(number()).fill(), first = u32(number() + 1);
	const n = number(), time = u32(n), node = u32(n), weight = f64(n);
	const sets = first.length - 1;
	facets.forEach((v, k) => {
		const name = string(), list = [""];
		for (let i = number(); i--;)
			list.push(coded());
		facets[k] = { name, list, of: u32(sets).map(number) };
	});
	for (let i = 0; i < sets; i++)
		first[i + 1] = first[i] + number();
	let end = 0;
	for (let i = 0; tick && i < sets; i++)
		for (let k = first[i], t = 0; k < first[i + 1]; k++) {
			time[k] = t += number();
			end = max(end, t);
		}
	for (let i = 0; i < n; i++)
		node[i] = number();
	for (let i = 0; i < n; i++)
		weight[i] = number();
	// One value that all have informs readers of the page, and chooses nothing.
	return { tick, start, lead, first, sets, time, node, weight, end,
		facets: facets.filter((f) => f.list[2] || f.of.includes(0)) };
}

// A thread without what distinguishes it: its numbers, but C2 and G1 are words.
const poolOf = (s) => s.replace(/(^\[?[A-Z]\d(?= ))|\d+(\.\d+)*/g,
	(all, word) => word || "*");

// By value of a facet: 1 it is chosen, -1 it is left out; whether any is.
export function wants({ name, list }, steps) {
	const want = new Int8Array(list.length);
	for (const { kind, text } of steps) {
		const [, off, facet, value] = splitFacet(text);
		const v = list.indexOf(value);
		list.forEach((s, k) => {
			if (kind === "f" && facet === name && (k === v ||
			    (v < 0 && poolOf(s) === value)))
				want[k] = off ? -1 : 1;
		});
	}
	return want;
}

// By set, whether its samples are chosen; without regard to one facet.
export function passing(steps, except) {
	const ok = u8(d.moments.sets).fill(1);
	for (const facet of d.moments.facets) {
		const want = wants(facet, facet === except ? [] : steps);
		const some = want.includes(1);
		facet.of.forEach((v, set) => {
			if (want[v] < 0 || (some && !want[v]))
				ok[set] = 0;
		});
	}
	return ok;
}

// Seconds from the recording's start; what is before counts as of then.
export const secondsAt = (t) => +(t > 0 ? t * d.moments.tick - d.moments.lead :
	max(-d.moments.lead, 0)).toFixed(9);
const ticksAt = (sec) => sec > 0 ?
	max(round((+sec + d.moments.lead) / d.moments.tick), 0) : 0;
// "2-4" in whole ticks.
const ticksOf = (text) => text.split("-").map(ticksAt);

// One span or two, in ticks; none: all of it.
export function spansOf(steps) {
	const spans = steps.filter((s) => "tu".includes(s.kind))
		.sort((a, b) => a.kind < b.kind ? -1 : 1)
		.map(({ text }) => ticksOf(text))
		.filter(([a, b]) => a < b);
	return spans.length ? spans.slice(0, 2) : [[-1, Infinity]];
}

// For each span, f(first, end, set, span) of the samples in it, of sets that
// pass.
export function eachSet(spans, ok, f) {
	const { first, time, sets } = d.moments;
	const after = (set, t) => lowest(first[set], first[set + 1],
		(i) => time[i] > t);
	spans.forEach(([from, to], c) => {
		for (let set = 0; set < sets; set++)
			if (ok[set])
				f(after(set, from), after(set, to), set, c);
	});
}

// The nodes with the weights of what the steps choose.
export function choose(g, steps) {
	if (!d.moments || !steps.some((s) => picks.includes(s.kind)))
		return g;
	const { node, weight } = d.moments, spans = spansOf(steps);
	const selfs = spans.map(() => f64(g.n));
	eachSet(spans, passing(steps), (lo, hi, set, c) => {
		const self = selfs[c];
		for (let i = lo; i < hi; i++)
			self[node[i]] += weight[i];
	});
	return { ...g, columns: selfs.map((self) =>
		({ self, total: totals(self, g.parent) })) };
}

// What all samples of a frame have in common, but not all of the profile: of
// its own nodes, unless there are too many samples to look at now.
export function soleOf(i) {
	const { facets = [], node } = d.moments || {}, end = d.end[i];
	const told = facets.filter((f) => f.list[2] && tabs.has(f.name));
	let one = [];
	if (!told[0] || d.parent !== view.given.parent || node.length > 1e7)
		return one;
	const ok = passing(view.steps);
	const thread = told.indexOf(facetBy(told, "thread"));
	eachSet(spansOf(view.steps), ok, (at, hi, set) => {
		while (at < hi && (node[at] < i || node[at] >= end))
			at++;
		if (at === hi)
			return;
		one = told.map(({ of }, k) => (one[k] ?? of[set]) === of[set] ?
			of[set] : -1);
		// No more is to be seen of other sets.
		if (max(...one) < 0)
			ok.fill(0);
	});
	return told.map(({ name, list }, k) => one[k] > 0 &&
		(name !== "pool" || !(one[thread] > 0)) &&
		name + ": " + list[one[k]]).filter((s) => s);
}

// How much longer the second span is.
export function rateOf(steps) {
	const [a, b] = d.moments ? spansOf(steps) : [];
	return b ? (b[1] - b[0]) / (a[1] - a[0]) : 1;
}

// Sums by value of a facet, of what all other steps choose.
export function facetSums(facet) {
	const { weight } = d.moments, spans = spansOf(view.steps);
	const sums = spans.map(() => f64(facet.list.length));
	eachSet(spans, passing(view.steps, facet), (lo, hi, set, c) => {
		let sum = 0;
		for (let i = lo; i < hi; i++)
			sum += weight[i];
		sums[c][facet.of[set]] += sum;
	});
	return { names: facet.list.map((s) => s || "(none)"),
		columns: sums.map((v) => ({ self: v, total: v })) };
}

// Chooses a value, or leaves it out; once more: neither.
export function takeFacet({ name, list }, v, off) {
	const taken = name + ":" + list[v], text = off ? "-" + taken : taken;
	const steps = view.steps.filter((s) => s.text !== taken &&
		s.text !== "-" + taken);
	if (!view.steps.some((s) => s.text === text))
		steps.push({ kind: "f", text });
	alter(steps);
}

// What a chip says of one of these steps.  Spans have whole ticks, which are
// long where there are many samples: the edges are those that are used.
export function stepText({ kind, text }) {
	const [, off, name, value] = splitFacet(text);
	return kind === "f" ? (off ? "not " : "") + name + ": " +
		(value || "(none)") : (d.moments?.tick ? ticksOf(text).map(
		secondsAt) : text.split("-")).map(seconds).join(" – ");
}

export function seconds(sec) {
	const rest = sec % 60;
	return sec < 120 ? +(+sec).toFixed(3) + " s" : floor(sec / 60) +
		(rest < 10 ? ":0" : ":") + +rest.toFixed(1);
}

// Round times of an axis, from tick a to b; those of one axis have one unit.
export function axisTicks(a, b, width, room) {
	const { tick, lead } = d.moments, from = a * tick - lead;
	const to = b * tick - lead, by = ticks.find((n) =>
		n / (to - from) * width > room) || to - from;
	const said = (s) => to < 120 ? +s.toFixed(3) + " s" : by < 1 ?
		seconds(s) : floor(s / 60) + ":" + (s % 60 + 100 + "").slice(1);
	const list = [];
	for (let k = ceil(max(from, 0) / by); k * by <= to; k++)
		list.push([(k * by - from) / (to - from) * width, said(k * by)]);
	return list;
}

/* The heat map. */
const lineHeight = () => heat.lined ? 15 : heat.cell;
const column = () => d.moments.end / heat.cols;
// Spans begin and end between smaller columns.
const edges = () => heat.cell / CELL;
const narrow = () => column() / edges();
// Cells of a column, or the columns of a line, follow each other.
const cellSpan = () => column() / (heat.lined ? 1 : heat.rows);

// Where there are fewer samples than cells, larger ones show more.
function sizeCells(width, samples) {
	for (heat.cell = CELL;; heat.cell *= 2) {
		heat.cols = max(floor(width / heat.cell), 1);
		if (!heat.lined)
			heat.rows = ROWS * CELL / heat.cell;
		if (heat.cell === LARGE_CELL ||
		    samples >= heat.cols * heat.rows)
			return;
	}
}

function fillHeat(width) {
	const { facets, weight, time } = d.moments;
	let facet, row, more;
	heat.left = heat.lined ? GUTTER : 0;
	if (heat.lined) {
		facet = facetBy(facets, heat.by) ||
			facetBy(facets, "thread") || facets[0];
		if (!heat.by && facet.list.length > LINES)
			facet = facetBy(facets, "pool") || facet;
		$("lines_by").value = facet.name;
		const [{ total }] = facetSums(heat.facet = facet).columns;
		const all = [...total.keys()].filter((v) => total[v])
			.sort((a, b) => total[b] - total[a]);
		heat.order = all.slice(0, LINES);
		more = all.length > LINES && `: ${LINES} of ${grouped(all.length)}`;
		heat.rows = heat.order.length;
		row = facet.list.map((s, v) => heat.order.indexOf(v));
		heat.labels = heat.order.map((v) => facet.list[v] || "(none)");
	}
	more = "Threads" + (more || "");
	if ($("lines").textContent !== more)
		$("lines").textContent = more;
	sizeCells(width - heat.left, time.length);
	const { rows, cols, lined } = heat;
	const bins = heat.bins = f64(rows * cols);
	const stride = lined ? rows : 1, per = cellSpan();
	eachSet([[0, Infinity]], passing(view.steps), (i, hi, set) => {
		const line = lined ? row[facet.of[set]] : 0;
		while (line >= 0 && i < hi) {
			const cell = floor((time[i] - 0.5) / per);
			const end = (cell + 1) * per + 0.5;
			let sum = weight[i++];
			while (i < hi && time[i] < end)
				sum += weight[i++];
			bins[cell * stride + line] += sum;
		}
	});
	const some = bins.filter((v) => v).sort();
	heat.clip = some[floor(some.length * 0.99)] || 1;
}

export function drawHeat() {
	const canvas = $("heat"), width = $("time").clientWidth - 24;
	const of = [width, heat.lined, heat.by, view.steps, view.look,
		heat.drag + ""];
	if (width < CELL || of.every((v, k) => v === heat.of[k]))
		return;
	if (!heat.drag)
		fillHeat(width);
	heat.of = of;
	const { rows, cols, bins, left, drag, clip, cell } = heat, tall = lineHeight();
	const high = rows * tall + 17, ratio = devicePixelRatio;
	const c = canvas.getContext("2d"), css = getComputedStyle(canvas);
	const spans = spansOf(view.steps).filter(([a]) => a >= 0);
	if (drag)
		spans.splice(heat.second ? 1 : 0, 2, dragSpan());
	const ends = spans.map((s) => s.map((t) => round(t / narrow())));
	const fine = edges();
	canvas.width = width * ratio;
	canvas.height = high * ratio;
	canvas.style.height = high + "px";
	c.scale(ratio, ratio);
	bins.forEach((v, k) => {
		const col = floor(k / rows), at = col * fine;
		c.globalAlpha = !drag && !ends.length || ends.some(([a, b]) =>
			at + fine > a && at < b) ? 1 : 0.35;
		c.fillStyle = "#" + view.look.heat[ceil(min(v / clip, 1) * 5)];
		c.fillRect(left + col * cell, k % rows * tall, cell - 1,
			tall - 1);
	});
	c.globalAlpha = 1;
	ends.forEach(([a, b], k) => {
		c.fillStyle = ends[1] ? fillOf(k * (RAMP - 1)) : css.color;
		c.fillRect(left + a * CELL, rows * tall,
			max(b - a, 1) * CELL - 1, 3);
	});
	c.font = "11px " + css.fontFamily;
	c.fillStyle = css.outlineColor;
	for (let k = heat.lined ? rows : 0; k--;)
		c.fillText(bothEnds(c, heat.labels[k], left - 8), 0,
			k * tall + 11);
	// Labels end before the button at the right, which lies on their line.
	const free = width - left - $("lanes").offsetWidth - 8;
	for (const [x, text] of axisTicks(0, d.moments.end, cols * cell, 80))
		if (x + c.measureText(text).width < free)
			c.fillText(text, left + x, high - 3);
}

export const facetBy = (list, name) => list.find((f) => f.name === name);

// The first that leaves room is between two labels.
const ticks = [0.001, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60,
	120, 300, 600, 1200, 1800, 3600, 7200, 14400, 86400];
const facetName = (k) => heat.facet.list[heat.order[k]] || "(none)";

// The column and row at a place; the smaller column.
const within = (px, size, n) => min(max(floor(px / size), 0), n - 1);
const edgeAt = (e) => within(e.offsetX - heat.left, CELL, heat.cols * edges());

function cellAt(e) {
	return [within(e.offsetX - heat.left, heat.cell, heat.cols),
		within(e.offsetY, lineHeight(), heat.rows)];
}

const dragSpan = () => [round(min(...heat.drag) * narrow()),
	round((max(...heat.drag) + 1) * narrow())];

export function takeSpan(kind, [a, b], replace) {
	const text = [a, b].map(secondsAt).join("-"), said = stepText({ text });
	alter(view.steps.filter((s) => s.kind !== "u" && s.kind !== kind)
		.concat({ kind, text }), replace);
	$("heat").ariaValueText = said;
	$("heat").ariaValueNow = round(a / d.moments.end * 100);
	$("live").textContent = said + ", " +
		view.whole.columns.map((c) => amount(c.total[0])).join(" → ");
}

export function dropSpans() {
	const steps = view.steps.filter((s) => !"tu".includes(s.kind));
	if (steps.length < view.steps.length)
		alter(steps);
}

// A column on or back: all of the span, or only its end on that side.
export function nudge(by, extend) {
	const { tick, end } = d.moments || {};
	if (!tick)
		return;
	const spans = spansOf(view.steps), kind = spans[1] ? "u" : "t";
	const step = narrow() * by;
	let [a, b] = spans.pop();
	const both = a >= 0 && !extend;
	if (a < 0)
		a = b = by > 0 ? 0 : end;
	if (both || by > 0)
		b += step;
	if (both || by < 0)
		a += step;
	if (a > -1 && b < end + 1)
		takeSpan(kind, [round(a), round(b)], true);
}

function hoverHeat(e) {
	const { lined, rows, bins, drag } = heat, tip = $("tip");
	const [col, row] = cellAt(e), { start, lead } = d.moments;
	const k = col * rows + row, cell = lined ? col : k;
	if (drag)
		heat.drag = [drag[0], edgeAt(e)];
	drawHeat();
	const span = (drag ? dragSpan() : [cell * cellSpan(),
		(cell + 1) * cellSpan()]).map(secondsAt);
	const clock = start > 1e18 && new Date(start / 1e6 +
		(span[0] + lead) * 1e3)
		.toISOString().replace(/T|\..*/g, " ");
	tip.replaceChildren(element("b", span.map(seconds).join(" – ")),
		element("i", drag ? "" : (lined ? facetName(row) + ": " : "") +
		amount(bins[k])), element("i", clock && clock + "UTC"));
	tip.hidden = false;
	putAt(tip, e.clientX, rectOf("time").bottom + 4);
}

function addPools(facets, { list, of }) {
	const ids = new Map();
	const to = list.map((s) => {
		s = poolOf(s);
		return ids.has(s) || ids.set(s, ids.size), ids.get(s);
	});
	if (ids.size > 2 && ids.size < list.length)
		facets.push({ name: "pool", list: [...ids.keys()],
			of: of.map((v) => to[v]) });
}

// The times and facets of a profile that is shown.
export function showTime() {
	const { tick, facets } = d.moments || { facets: [] };
	const thread = facetBy(facets, "thread");
	for (const [tab, [, , facet]] of tabs)
		if (facet)
			tabs.delete(tab);
	heat.of = [];
	$("time").hidden = !tick;
	$("chart").hidden = !tick;
	heat.by = "";
	if (thread && !facetBy(facets, "pool"))
		addPools(facets, thread);
	const many = facets.filter(({ list }) => list.length > 2)
		.sort((a, b) => (b === thread) - (a === thread));
	$("lines").hidden = !facets.length;
	$("lines_by").hidden = !many[1];
	$("lines_by").replaceChildren(...many.map(({ name }) =>
		element("option", name)));
	for (const facet of facets)
		if (!thread || facet.name !== "tid" ||
		    facet.list.length > thread.list.length)
			tabs.set(facet.name, ["", null, facet]);
}

export function listenTime() {
	const canvas = $("heat");
	on(canvas, "pointerdown", (e) => {
		const col = edgeAt(e);
		if (e.button)
			return;
		// A row's name is a switch, as in the table.
		if (e.offsetX < heat.left) {
			takeFacet(heat.facet, heat.order[cellAt(e)[1]], e.altKey);
			return;
		}
		canvas.setPointerCapture(e.pointerId);
		heat.drag = [col, col];
		heat.second = e.shiftKey && spansOf(view.steps)[0][0] >= 0;
		drawHeat();
	});
	on(canvas, "pointermove", hoverHeat);
	on(canvas, "pointerleave", leave);
	on(canvas, "pointerup", () => {
		const span = heat.drag && dragSpan();
		heat.drag = null;
		if (span)
			takeSpan(heat.second ? "u" : "t", span);
	});
	const line = (lined) => {
		heat.lined = lined;
		$("lines").ariaPressed = lined;
		drawHeat();
		drawSoon();
	};
	on("lines", "click", () => line(!heat.lined));
	on("lines_by", "change", () => {
		heat.by = $("lines_by").value;
		chart.facets = "";
		line(true);
	});
}
