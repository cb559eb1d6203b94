/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Time, threads and other labels: samples are chosen by steps of the kinds t
 * (a span, "12.5-30" in seconds), u (one to compare it with) and f (a value
 * of a facet, "thread:main", or "-thread:main" for all others).
 */
const CELL = 9, ROWS = 6, LINES = 16, LINE = 15, GUTTER = 190;
const heats = {
	light: ["#f5f6f8", "#fde8cf", "#fbc98d", "#f3a04b", "#d9701b", "#9c3d00"],
	dark: ["#1c2026", "#3b2f1d", "#6a4413", "#a35f10", "#df8a2d", "#ffd08a"],
};
const heat = {
	of: [], bins: null, cols: 1, rows: ROWS, clip: 1,
	lines: null,	// with a row for each: values of a facet
	drag: null, shift: false,	// first and last cell
};
const picks = ["t", "u", "f"];

// Values that others tell: of a thread, what it has in common with others.
function derive(from, name, of) {
	const { facets } = d.samples, all = facets.find((f) => f.name === from);
	if (!all || facets.some((f) => f.name === name))
		return;
	const ids = new Map([["", 0]]), list = [""];
	const to = all.list.map((text) => {
		const s = text && of(text) || "";
		if (!ids.has(s))
			ids.set(s, list.push(s) - 1);
		return ids.get(s);
	});
	if (list.length > 2 && list.length < all.list.length)
		facets.push({ name, list, of: all.of.map((v) => to[v]) });
}

function splitFacet(text) {
	const off = text[0] === "-" ? 1 : 0, at = text.indexOf(":");
	return { off, name: text.slice(off, at), value: text.slice(at + 1) };
}

// By set, whether its samples are taken; without regard to one facet.
function passing(steps, except) {
	const ok = new Uint8Array(d.samples.sets).fill(1);
	for (const facet of d.samples.facets) {
		const want = new Int8Array(facet.list.length);
		let some = false;
		for (const { kind, text } of steps) {
			const { off, name, value } = splitFacet(text);
			const v = facet.list.indexOf(value);
			if (kind !== "f" || name !== facet.name || v < 0 ||
			    facet === except)
				continue;
			want[v] = off ? -1 : 1;
			some = some || !off;
		}
		facet.of.forEach((v, set) => {
			if (want[v] < 0 || (some && !want[v]))
				ok[set] = 0;
		});
	}
	return ok;
}

// One span or two, in ticks; none: all of it.
function spansOf(steps) {
	const spans = picks.map((kind) => {
		const step = steps.findLast((s) => s.kind === kind);
		const at = step && /^([\d.]+)-([\d.]+)$/.exec(step.text);
		return at && kind !== "f" && at.slice(1).map((sec) =>
			round(sec / d.samples.tick));
	}).filter((span) => span && span[0] < span[1]);
	return spans.length ? spans : [[-1, Infinity]];
}

// For each span, f(sample, set) of those in it.
function eachSample(spans, ok, f) {
	const { first, time, sets } = d.samples;
	const after = (lo, set, t) => lowest(lo, first[set + 1],
		(i) => time[i] > t);
	spans.forEach(([from, to], c) => {
		for (let set = 0; set < sets; set++) {
			if (!ok[set])
				continue;
			let i = after(first[set], set, from);
			for (const hi = after(i, set, to); i < hi; i++)
				f(i, set, c);
		}
	});
}

// The nodes with the weights of what the steps choose.
function choose(g, steps) {
	const picked = steps.filter((s) => picks.includes(s.kind));
	if (!d.samples || !picked.length)
		return g;
	const { node, weight } = d.samples, spans = spansOf(picked);
	const selfs = spans.map(() => f64(g.n));
	eachSample(spans, passing(picked), (i, set, c) =>
		selfs[c][node[i]] += weight[i]);
	return { ...g, columns: selfs.map((self) =>
		({ self, total: totals(self, g.parent) })) };
}

// How much longer the second span is.
function rateOf(steps) {
	const [a, b] = d.samples ? spansOf(steps) : [];
	return b ? (b[1] - b[0]) / (a[1] - a[0]) : 1;
}

// Sums by value of a facet, of what all other steps choose.
function facetSums(facet) {
	const { weight } = d.samples, ok = passing(view.steps, facet);
	const spans = spansOf(view.steps);
	const columns = spans.map(() => f64(facet.list.length));
	eachSample(spans, ok, (i, set, c) =>
		columns[c][facet.of[set]] += weight[i]);
	return { names: facet.list.map((s) => s || "(none)"),
		columns: columns.map((v) => ({ self: v, total: v })) };
}

// Takes a value in, or away; once more: neither.
function takeFacet(facet, v, off) {
	const text = facet.name + ":" + facet.list[v], was = isTaken(facet, v);
	const steps = view.steps.filter((s) => s.kind !== "f" ||
		(s.text !== text && s.text !== "-" + text));
	alter(was === (off ? -1 : 1) ? steps :
		steps.concat({ kind: "f", text: (off ? "-" : "") + text }));
}

// 1 where a value is chosen, -1 where it is left out.
function isTaken(facet, v) {
	const text = facet.name + ":" + facet.list[v];
	const of = (s) => view.steps.some((step) => step.kind === "f" &&
		step.text === s);
	return of(text) ? 1 : of("-" + text) ? -1 : 0;
}

/* The heat map. */
const rowHeight = () => heat.lines ? LINE : CELL;
const perCell = () => d.samples.end / (heat.cols * (heat.lines ? 1 : ROWS));
const seconds = (sec) => sec < 120 ? +sec.toFixed(3) + " s" :
	floor(sec / 60) + ":" + (sec % 60 < 10 ? "0" : "") +
	+(sec % 60).toFixed(sec % 1 ? 1 : 0);

// What a chip of one of its steps says.
function stepText({ kind, text }) {
	if (kind === "f") {
		const { off, name, value } = splitFacet(text);
		return (off ? "not " : "") + name + ": " + (value || "(none)");
	}
	return picks.includes(kind) ? toldSpan(...text.split("-").map((s) =>
		s / d.samples.tick)) : text;
}

function toldSpan(a, b) {
	return seconds(a * d.samples.tick) + " – " +
		seconds(b * d.samples.tick);
}

// What a clock showed then, where that is known.
function clockAt(t) {
	const { tick, start } = d.samples;
	return start > 1e18 ? ", " + new Date(start / 1e6 + t * tick * 1e3)
		.toISOString().replace("T", " ").slice(0, 19) + " UTC" : "";
}

function fillHeat(width) {
	const { facets, weight, time, end } = d.samples;
	const left = heat.byLine ? GUTTER : 0;
	const ok = passing(view.steps);
	heat.left = left;
	heat.cols = max(floor((width - left) / CELL), 1);
	heat.lines = null;
	let of;
	if (heat.byLine) {
		const by = (name) => facets.find((f) => f.name === name);
		let facet = by("thread") || facets[0];
		if (facet.list.length > LINES + 1)
			facet = by("pool") || facet;
		const [{ total }] = facetSums(facet).columns;
		const order = [...total.keys()].filter((v) => total[v])
			.sort((a, b) => total[b] - total[a]).slice(0, LINES);
		const row = facet.list.map((s, v) => order.indexOf(v));
		of = facet.of.map((v) => row[v]);
		heat.lines = order;
		heat.facet = facet;
	}
	heat.rows = heat.lines ? heat.lines.length : ROWS;
	const bins = heat.bins = f64(heat.cols * heat.rows), per = perCell();
	eachSample([[0, Infinity]], ok, (i, set) => {
		const k = min(floor((time[i] - 1) / per), bins.length - 1);
		if (!of)
			bins[k] += weight[i];
		else if (of[set] < heat.rows)
			bins[min(k, heat.cols - 1) * heat.rows + of[set]] +=
				weight[i];
	});
	const some = bins.filter((v) => v).sort();
	heat.clip = some[floor(some.length * 0.99)] || 1;
}

// The spans that are chosen, and the one that is being dragged.
function heatSpans() {
	const spans = spansOf(view.steps).filter(([a]) => a >= 0);
	return heat.drag ? (heat.shift ? spans.slice(0, 1) : [])
		.concat([dragSpan()]) : spans;
}

function drawHeat() {
	const canvas = $("heat"), width = $("time").clientWidth - 24;
	if ($("time").hidden || width < CELL)
		return;
	const of = [width, heat.byLine, view.steps.map((s) =>
		s.kind === "f" && s.text).join("\n"), theme, view.steps,
		heat.drag + "", devicePixelRatio];
	const same = of.map((v, k) => v === heat.of[k]);
	if (same.every((v) => v))
		return;
	if (!same[0] || !same[1] || !same[2])
		fillHeat(width);
	heat.of = of;
	const { rows, cols, bins, left } = heat, tall = rowHeight();
	const high = rows * tall + 17;
	const ratio = devicePixelRatio || 1, c = canvas.getContext("2d");
	const colors = heats[theme === looks.dark ? "dark" : "light"];
	const spans = heatSpans(), per = perCell(), each = heat.lines ? 1 : rows;
	const css = getComputedStyle(canvas);
	canvas.width = round(width * ratio);
	canvas.height = round(high * ratio);
	canvas.style.height = high + "px";
	c.setTransform(canvas.width / width, 0, 0, ratio, 0, 0);
	for (let k = 0; k < bins.length; k++) {
		const col = floor(k / rows), row = k % rows;
		const t = (heat.lines ? col : k) * per;
		c.globalAlpha = !spans.length || spans.some(([a, b]) =>
			t > a - per / 2 && t < b - per / 2) ? 1 : 0.3;
		c.fillStyle = colors[ceil(min(bins[k] / heat.clip, 1) * 5)];
		c.fillRect(left + col * CELL, row * tall, CELL - 1, tall - 1);
	}
	c.globalAlpha = 1;
	spans.forEach(([a, b], k) => {
		c.fillStyle = spans.length > 1 ? colors === heats.dark ?
			["#6fb6ff", "#fb8f74"][k] : ["#0b63ce", "#c8502c"][k] :
			css.color;
		c.fillRect(left + floor(a / per / each) * CELL, rows * tall,
			max(ceil(b / per / each) - floor(a / per / each), 1) *
			CELL - 1, 3);
	});
	c.font = "11px " + css.fontFamily;
	c.fillStyle = css.outlineColor;
	drawTicks(c, high - 3);
	c.textAlign = "left";
	(heat.lines || []).forEach((v, row) => {
		const name = heat.facet.list[v] || "(none)";
		c.fillText(fit(c, [name, 0, 0], left - 8), 0, row * tall + 11);
	});
}

// When it was, below the columns.
function drawTicks(c, y) {
	const sec = d.samples.end * d.samples.tick;
	const least = sec * 90 / (heat.cols * CELL);
	const step = [1, 2, 5, 10, 15, 30].map((n) => n * (least < 30 ?
		10 ** floor(Math.log10(least)) : least < 1800 ? 60 : 3600))
		.find((n) => n >= least) || least;
	for (let k = 0; k * step < sec; k++) {
		const x = heat.left + k * step / sec * heat.cols * CELL;
		c.textAlign = k ? "center" : "left";
		if (x < heat.left + heat.cols * CELL - 90)
			c.fillText(seconds(k * step), x, y);
	}
}

// The cell at a place, in the order of time; -1: none.
function cellAt(e) {
	const box = rectOf("heat");
	const col = floor((e.clientX - box.left - heat.left) / CELL);
	const row = floor((e.clientY - box.top) / rowHeight());
	const at = min(max(col, 0), heat.cols - 1);
	return heat.lines ? at : at * ROWS + min(max(row, 0), ROWS - 1);
}

function dragSpan() {
	const [a, b] = heat.drag, per = perCell();
	const more = a === b && !heat.lines ? ROWS : 1;
	const lo = more > 1 ? a - a % ROWS : min(a, b);
	return [round(lo * per), round((max(lo, a, b) + 1 + (more > 1 ?
		ROWS - 1 - a % ROWS : 0)) * per)];
}

function takeSpan(kind, [a, b], replace) {
	const text = [a, b].map((t) => +(t * d.samples.tick).toFixed(6))
		.join("-");
	const steps = view.steps.filter((s) => s.kind !== "u" &&
		s.kind !== kind);
	alter(steps.concat({ kind, text }), replace);
	tellSpan([a, b]);
}

function tellSpan(span) {
	const sums = whole.columns.map((c) => amount(c.total[0]));
	label($("heat"), "aria-valuetext", toldSpan(...span));
	label($("heat"), "aria-valuenow", span[0]);
	$("live").textContent = toldSpan(...span) + ", " + sums.join(" → ");
}

function dropSpans() {
	const steps = view.steps.filter((s) => s.kind !== "t" &&
		s.kind !== "u");
	const some = steps.length < view.steps.length;
	if (some)
		alter(steps);
	return some;
}

// A column on or back: all of the span, or only its end on that side.
function nudge(by, extend) {
	if (!d.samples || !d.samples.tick)
		return;
	const { end } = d.samples, col = max(end / heat.cols, 1) * by;
	const last = view.steps.some((s) => s.kind === "u") ? "u" : "t";
	const spans = spansOf(view.steps);
	let [a, b] = spans[spans.length - 1];
	if (a < 0)
		[a, b] = by > 0 ? [-col, 0] : [end, end - col];
	if (!extend || by < 0)
		a += col;
	if (!extend || by > 0)
		b += col;
	if (a > -1 && b < end + 1)
		takeSpan(last, [max(round(a), 0), round(b)], true);
}

function hoverHeat(e) {
	const k = cellAt(e), per = perCell(), tip = $("tip");
	if (heat.drag) {
		heat.drag = [heat.drag[0], k];
		drawHeat();
	}
	const [a, b] = heat.drag ? dragSpan() : [k * per, (k + 1) * per];
	const row = heat.lines && heat.lines[min(max(floor((e.clientY -
		rectOf("heat").top) / rowHeight()), 0), heat.rows - 1)];
	const n = heat.drag ? 0 : heat.lines ? heat.bins[k * heat.rows +
		heat.lines.indexOf(row)] : heat.bins[k];
	tip.replaceChildren(element("b", toldSpan(a, b) + clockAt(a)), element("i",
		heat.drag ? "" : (heat.lines ? heat.facet.list[row] + ": " :
			"") + amount(n)));
	tip.hidden = false;
	tip.style.top = rectOf("time").bottom + 4 + "px";
	tip.style.left = max(min(e.clientX, innerWidth - tip.offsetWidth - 8),
		8) + "px";
}

// The times and facets of a profile that is shown.
function showTime() {
	const { tick, end, facets } = d.samples || { facets: [] };
	for (const [tab, [, , facet]] of tabs)
		if (facet)
			tabs.delete(tab);
	heat.of = [];
	$("time").hidden = !tick;
	$("lines").hidden = !facets.length;
	if (!d.samples)
		return;
	derive("thread", "pool", (s) => s.replace(/\d+(\.\d+)*/g, "*"));
	derive("thread", "stage", (s) => (/\bstage (\d+)/.exec(s) || [])[1]);
	const tid = facets.findIndex((f) => f.name === "tid");
	const thread = facets.find((f) => f.name === "thread");
	if (tid >= 0 && thread && facets[tid].list.length <= thread.list.length)
		facets.splice(tid, 1);
	for (const facet of facets)
		tabs.set(facet.name, ["", null, facet]);
	label($("heat"), "aria-valuemin", 0);
	label($("heat"), "aria-valuemax", end);
	label($("heat"), "aria-valuenow", 0);
}

function listenTime() {
	const canvas = $("heat");
	on(canvas, "pointerdown", (e) => {
		if (e.button)
			return;
		canvas.setPointerCapture(e.pointerId);
		heat.drag = [cellAt(e), cellAt(e)];
		heat.shift = e.shiftKey && heatSpans().length > 0 &&
			view.steps.some((s) => s.kind === "t");
		drawHeat();
	});
	on(canvas, "pointermove", hoverHeat);
	on(canvas, "pointerleave", () => $("tip").hidden = true);
	on(canvas, "pointercancel", () => heat.drag = null);
	on(canvas, "pointerup", () => {
		if (!heat.drag)
			return;
		const span = dragSpan();
		heat.drag = null;
		takeSpan(heat.shift ? "u" : "t", span);
	});
	on(canvas, "keydown", (e) => {
		const by = { ArrowLeft: -1, ArrowRight: 1 }[e.key];
		if (!by || e.ctrlKey || e.metaKey || e.altKey)
			return;
		e.preventDefault();
		e.stopPropagation();
		nudge(by, e.shiftKey);
	});
	on("lines", "click", () => {
		heat.byLine = !heat.byLine;
		label($("lines"), "aria-pressed", heat.byLine);
		drawHeat();
	});
}
