/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The flame chart: samples in the order of time, a track for each thread, the
 * root on top.  The span in sight is the step t of the profile: what is zoomed
 * here is what the flame graph shows, and the other way round.
 *
 * Of each column of pixels the sample in its middle is drawn, so that the work
 * depends on pixels, not on samples.
 */
import { abs, ceil, floor, max, min, round } from "./numbers.js";
import { d, modes, view } from "./state.js";
import { f64, u32 } from "./data.js";
import { $, lowest, on, rectOf } from "./view.js";
import { FULL, beyond, colorOf, css, drawSoon, linesOf, placeHover, write }
	from "./draw.js";
import { search } from "./search.js";
import { axisTicks, dropSpans, facetBy, heat, passing, seconds, secondsAt,
	spansOf, takeSpan } from "./time.js";
import { openMenu, putAt } from "./menu.js";
import { amount, element, escape, fillTip, leave, setCurrent, short }
	from "./page.js";

const HEAD = 20, AXIS = 20, SMALL = 40;	// heights in CSS pixels
export const chart = {
	open: false,
	tracks: [], of: null,	// of these samples, chosen by these facets
	steps: null, a: 0, b: 1,	// the span in sight, in ticks
	width: 1, height: 1, top: 0,
	at: 0,			// the track in hand
	unfolded: new Set(),	// names of tracks with rows to be read
	boxes: [],		// what was drawn: node, left, right, top, height
	waiting: 0, drag: null,
};

// How long one sample lasts: the usual distance to the next.  One that stands
// for several lasts as much longer.
const lasting = (weight) => d.unit === "samples" ? weight : 1;

function usualGap(time, weight) {
	const gaps = [], by = max(floor(time.length / 500), 1);
	for (let i = 1; i < time.length; i += by)
		if (time[i] > time[i - 1])
			gaps.push((time[i] - time[i - 1]) /
				lasting(weight[i - 1]));
	return gaps.sort((a, b) => a - b)[gaps.length >> 1] || 0;
}

// A track of sets of samples, each of which is in the order of time.
function trackOf(name, sets) {
	const { first, time, node, weight } = d.moments;
	const parts = sets.map((set) => [lowest(first[set], first[set + 1],
		(i) => time[i]), first[set + 1]]).filter(([a, b]) => a < b);
	let sum = 0, track;
	for (const [a, b] of parts)
		for (let i = a; i < b; i++)
			sum += weight[i];
	if (parts.length < 2) {
		const [[a, b] = [0, 0]] = parts;
		track = { time: time.subarray(a, b), node: node.subarray(a, b),
			weight: weight.subarray(a, b) };
	} else {
		// Numbers of samples, after their times: 2^32 of each are exact.
		const n = parts.reduce((n, [a, b]) => n + b - a, 0);
		const keys = f64(n), size = time.length;
		let k = 0;
		for (const [a, b] of parts)
			for (let i = a; i < b; i++)
				keys[k++] = time[i] * size + i;
		keys.sort();
		track = { time: u32(n), node: u32(n), weight: f64(n) };
		keys.forEach((key, k) => {
			const i = key % size;
			track.time[k] = time[i];
			track.node[k] = node[i];
			track.weight[k] = weight[i];
		});
	}
	return { name, sum, deep: 0, ...track,
		gap: usualGap(track.time, track.weight) };
}

function fillTracks() {
	const { facets, sets } = d.moments, ok = passing(view.steps);
	const facet = facetBy(facets, heat.by) || facetBy(facets, "thread") ||
		facetBy(facets, "tid");
	const of = new Map();
	for (let set = 0; set < sets; set++)
		if (ok[set]) {
			const v = facet ? facet.of[set] : 0;
			of.set(v, (of.get(v) || []).concat(set));
		}
	chart.tracks = [...of].map(([v, list]) => trackOf(facet ?
		facet.list[v] || "(none)" : "All samples", list))
		.filter(({ time }) => time.length)
		.sort((a, b) => b.time.length - a.time.length || b.sum - a.sum);
	const usual = chart.tracks.map((t) => t.gap).filter((v) => v)
		.sort((a, b) => a - b);
	for (const t of chart.tracks) {
		t.gap ||= usual[usual.length >> 1] || 1;
		t.deep = deepest(t.node);
	}
	chart.at = 0;
	if (!chart.tracks.some((t) => chart.unfolded.has(t.name)) &&
	    chart.tracks[0])
		chart.unfolded.add(chart.tracks[0].name);
	listTracks();
}

function deepest(node) {
	const { level } = view.given;
	let deep = 0;
	for (let i = 0; i < node.length; i++)
		deep = max(deep, level[node[i]]);
	return deep;
}

// By node of the page, the node that the steps have made of it; null: itself.
function rewrittenNodes() {
	const maps = [];
	for (let g = view.whole; g.origin; g = g.origin.of)
		maps.unshift(g.origin.to);
	return maps[0] ? maps.reduce((of, to) =>
		of.map((i) => i < 0 ? -1 : to[i])) : null;
}

const isUnfolded = (t) => chart.unfolded.has(t.name);
const bodyOf = (t) => isUnfolded(t) ? t.deep * view.row :
	min(t.deep * 4, SMALL);
const heightOf = (t) => HEAD + bodyOf(t) + 6;

// Where a track begins, below the axis.
function trackTop(k) {
	let y = 0;
	for (let i = 0; i < k; i++)
		y += heightOf(chart.tracks[i]);
	return y;
}

// The span in sight is the one that is chosen; of two, both.
function syncChart() {
	const { end } = d.moments, facets = JSON.stringify(view.steps.filter(
		(s) => s.kind === "f"));
	if (chart.of !== d.moments || chart.facets !== facets) {
		Object.assign(chart, { of: d.moments, facets });
		fillTracks();
		chart.steps = null;
	}
	if (chart.steps === view.steps)
		return;
	const spans = spansOf(view.steps);
	chart.steps = view.steps;
	chart.a = max(min(...spans.map((s) => s[0])), 0);
	chart.b = min(max(...spans.map((s) => s[1])), end);
	chart.map = rewrittenNodes();
}

// The node of the sample at each column of pixels; -1: none.
function columnsOf({ time, node, weight, gap }, width) {
	const list = new Int32Array(width).fill(-1), n = time.length;
	const by = (chart.b - chart.a) / width, { map } = chart;
	let k = lowest(0, n, (i) => time[i] - 1 > chart.a + by / 2) - 1;
	for (let x = 0; x < width; x++) {
		const t = chart.a + (x + 0.5) * by + 1;
		k = beyond(time, max(k, 0), n, t) - 1;
		if (k < 0)
			continue;
		const long = gap * lasting(weight[k]);
		const next = k + 1 < n ? time[k + 1] : Infinity;
		if (t < time[k] + long || next - time[k] <= 2 * long)
			list[x] = map ? map[node[k]] : node[k];
	}
	return list;
}

// put(node, left, right, level) of what neighbours have in common.
function boxesOf(columns, put) {
	const { parent, deep: { level } } = d, path = [], from = [];
	const width = columns.length;
	let last = -1;
	const close = (depth, x) => {
		while (path.length > depth) {
			const i = path.pop();
			put(i, from.pop(), x, level[i]);
		}
	};
	for (let x = 0; x < width; x++) {
		const leaf = columns[x];
		if (leaf === last)
			continue;
		last = leaf;
		const deep = leaf < 0 ? 0 : level[leaf];
		let i = leaf, same = deep;
		while (same > path.length)
			i = parent[i], same--;
		while (same && path[same - 1] !== i)
			i = parent[i], same--;
		close(same, x);
		path.length = from.length = deep;
		from.fill(x, same);
		for (let k = deep, up = leaf; k > same; k--, up = parent[up])
			path[k - 1] = up;
	}
	close(0, width);
}

function paintTrack(t, y, ratio, c) {
	const { width } = c.canvas, body = bodyOf(t), rows = t.deep;
	const { lines, image } = linesOf(c, width, max(rows, 1));
	const px = new Uint32Array(image.data.buffer, 0, rows * width);
	const wide = isUnfolded(t), { focus } = view, dim = d.light.length + 1;
	const end = d.end[focus], list = [], gap = wide ? ceil(ratio - 0.5) : 0;
	px.fill(view.paper);
	boxesOf(columnsOf(t, width), (i, a, b, level) => {
		const out = focus && (i < focus || i >= end) && !search.hit;
		const line = (level - 1) * width;
		px.fill(view.inks[5 * (out ? dim : colorOf(i)) + FULL],
			line + a, line + b - (b - a > 2 * gap ? gap : 0));
		const top = y + (level - 1) * (wide ? view.row : body / rows);
		chart.boxes.push(i, a / ratio, b / ratio, top,
			wide ? view.row : body / rows);
		if (wide && b - a > 25 * ratio)
			list.push(i, a, b, top * ratio, level);
	});
	lines.getContext("2d").putImageData(image, 0, 0, 0, 0, width, rows);
	c.imageSmoothingEnabled = false;
	for (let k = 0; wide && k < rows; k++)
		c.drawImage(lines, 0, k, width, 1, 0, y + k * view.row,
			chart.width, view.row - 1);
	if (!wide && rows)
		c.drawImage(lines, 0, 0, width, rows, 0, y, chart.width, body);
	c.imageSmoothingEnabled = true;
	write(c, list, ratio);
}

// Times below the upper edge.
function paintAxis(c) {
	const { a, b, width } = chart;
	c.fillStyle = css(view.paper);
	c.fillRect(0, 0, width, AXIS);
	c.font = "11px " + view.family;
	c.textBaseline = "middle";
	c.fillStyle = view.look.dimText;
	for (const [x, text] of axisTicks(a, b, width, 90)) {
		c.fillRect(round(x), 0, 1, 5);
		c.fillText(text, x + 4, AXIS / 2);
	}
}

export function drawChart() {
	const box = $("chart_view"), canvas = $("chart_canvas");
	const ratio = min(devicePixelRatio, 2);
	syncChart();
	const tall = trackTop(chart.tracks.length) + AXIS;
	chart.height = max(box.clientHeight, 1);
	canvas.style.height = chart.height + "px";
	$("chart_space").style.height = max(tall - chart.height, 0) + "px";
	chart.width = max(box.clientWidth, 1);
	chart.top = box.scrollTop;
	const w = round(chart.width * ratio), h = round(chart.height * ratio);
	if (canvas.width !== w || canvas.height !== h) {
		canvas.width = w;
		canvas.height = h;
	}
	const c = chart.context ||= canvas.getContext("2d", { alpha: false });
	c.setTransform(ratio, 0, 0, ratio, 0, 0);
	c.fillStyle = css(view.paper);
	c.fillRect(0, 0, chart.width, chart.height);
	chart.boxes = [];
	let y = AXIS - chart.top;
	chart.tracks.forEach((t, k) => {
		const size = heightOf(t);
		if (y + size > AXIS && y < chart.height) {
			paintTrack(t, y + HEAD, ratio, c);
			c.font = (k === chart.at ? "600 " : "") + "12px " +
				view.family;
			c.textBaseline = "middle";
			c.fillStyle = view.look.text;
			c.fillText((isUnfolded(t) ? "▾ " : "▸ ") +
				short(t.name, 80) + " · " + amount(t.sum), 6,
			y + HEAD / 2 + 1);
		}
		y += size;
	});
	paintAxis(c);
	placeHover();
}

// The place in chart.boxes that a pointer is at, or -1.
function boxAt(e) {
	const { boxes } = chart, x = e.offsetX, y = e.offsetY;
	for (let k = 0; y > AXIS && k < boxes.length; k += 5)
		if (x >= boxes[k + 1] && x < boxes[k + 2] &&
		    y >= boxes[k + 3] && y < boxes[k + 3] + boxes[k + 4])
			return k;
	return -1;
}

// The track whose heading a pointer is at, or -1.
function headAt({ offsetY }) {
	let y = AXIS - chart.top;
	return offsetY < AXIS ? -1 : chart.tracks.findIndex((t) => {
		const head = offsetY >= y && offsetY < y + HEAD;
		y += heightOf(t);
		return head;
	});
}

// All that is drawn of the function in hand.
export function outlineChart(c, ratio) {
	const { boxes } = chart, method = d.method[d.name[view.current]];
	for (let k = 0; k < boxes.length; k += 5) {
		const [i, a, b, y, h] = boxes.slice(k, k + 5);
		if (d.method[d.name[i]] === method && y + h > AXIS && h > 4)
			c.strokeRect(a * ratio + 0.5, y * ratio + 0.5,
				max(b - a - 1, 1) * ratio, (h - 2) * ratio);
	}
}

const timeAt = (x) => chart.a + x * (chart.b - chart.a) / chart.width;

// The call that a box is of: until it rests, others are in sight.
function hoverChart(e) {
	const k = boxAt(e), tip = $("tip");
	if (view.pinned)
		return;
	$("chart_canvas").style.cursor = k < 0 && headAt(e) < 0 ? "" : "pointer";
	view.pointer = e.offsetX;
	setCurrent(k < 0 ? -1 : chart.boxes[k]);
	tip.hidden = k < 0;
	if (k < 0)
		return;
	const { tick } = d.moments, [, a, b] = chart.boxes.slice(k, k + 5);
	// As exactly as pixels show it.
	const digits = min(max(floor(-Math.log10((timeAt(1) - timeAt(0)) *
		tick)), 0), 6);
	fillTip(view.current, []);
	tip.append(element("i", "Here from " + [a, b].map((x) =>
		seconds(secondsAt(timeAt(x)).toFixed(digits))).join(" to ")));
	const { left, top } = rectOf("chart_canvas");
	const y = top + chart.boxes[k + 3] + chart.boxes[k + 4] + 8;
	putAt(tip, left + e.offsetX + 12, y + tip.offsetHeight >
		innerHeight - 30 ? top + chart.boxes[k + 3] -
		tip.offsetHeight - 6 : y);
}

// Another span: seen at once, and added as a step when it rests.
function lookAtSpan(a, b) {
	const { end } = d.moments, size = min(max(b - a, 4), end);
	chart.a = min(max(a, 0), end - size);
	chart.b = chart.a + size;
	clearTimeout(chart.waiting);
	chart.waiting = setTimeout(takeChartSpan, 250);
	drawSoon();
}

function takeChartSpan() {
	const a = round(chart.a), b = round(chart.b);
	const all = a <= 0 && b >= d.moments.end;
	if (!chart.open)
		return;
	if (all)
		dropSpans();
	else
		takeSpan("t", [a, b], true);
	Object.assign(chart, { a, b, steps: view.steps });
}

export function scaleChart(by, px) {
	const t = timeAt(px);
	lookAtSpan(t + (chart.a - t) * by, t + (chart.b - t) * by);
}

export function panChart(px) {
	const by = px * (chart.b - chart.a) / chart.width;
	lookAtSpan(chart.a + by, chart.b + by);
}

function toggleTrack(k) {
	const { name } = chart.tracks[k];
	chart.at = k;
	if (!chart.unfolded.delete(name))
		chart.unfolded.add(name);
	tellTrack();
	drawSoon();
}

// Tracks, as they are only heard.
function listTracks() {
	$("chart_canvas").replaceChildren(...chart.tracks.slice(0, 500)
		.map(({ name, sum }, k) => Object.assign(element("div", name +
			", " + amount(sum)), { id: "track" + k, role: "option",
			ariaSelected: k === chart.at })));
	$("chart_canvas").setAttribute("aria-activedescendant",
		"track" + chart.at);
}

function tellTrack() {
	const t = chart.tracks[chart.at];
	if (!t)
		return;
	listTracks();
	$("live").textContent = t.name + ", " + amount(t.sum) +
		(isUnfolded(t) ? ", open" : ", closed");
}

// To another track, in sight.
function toTrack(by) {
	const last = chart.tracks.length - 1, box = $("chart_view");
	chart.at = min(max(chart.at + by, 0), last);
	const y = trackTop(chart.at);
	if (y < box.scrollTop || y > box.scrollTop + chart.height - SMALL)
		box.scrollTop = y;
	tellTrack();
	drawSoon();
}

export const chartKeys = {
	ArrowUp: () => toTrack(-1), ArrowDown: () => toTrack(1),
	ArrowLeft: () => panChart(-chart.width / 8),
	ArrowRight: () => panChart(chart.width / 8),
	Enter: () => chart.tracks[0] && toggleTrack(chart.at),
	Escape() {
		clearTimeout(chart.waiting);
		chart.steps = null;
		escape();
	},
};

function clickChart(e) {
	const k = boxAt(e), head = headAt(e);
	if (chart.drag?.moved || e.detail > 1)
		return;
	if (k >= 0) {
		const [, a, b] = chart.boxes.slice(k, k + 3).map((x) => x);
		leave();
		lookAtSpan(timeAt(a), timeAt(b));
	} else if (head >= 0) {
		toggleTrack(head);
	}
}

modes.push("chart");

// Its button and its place, in pages with times only.
export function addChart() {
	const canvas = Object.assign(element("canvas"), { id: "chart_canvas",
		tabIndex: 0, role: "listbox", ariaLabel: "Threads" });
	const space = element("div"), box = element("section", "", canvas,
		space);
	space.id = "chart_space";
	Object.assign(box, { id: "chart_view", hidden: true,
		ariaLabel: "Flame chart" });
	$("rows").after(box);
	$("icicle").after(Object.assign(element("button", "Chart"), {
		id: "chart", title: "Samples in time order, by thread (6)" }));
	listenChart(canvas);
}

export function showChart(open) {
	chart.open = open;
	$("chart_view").hidden = !open;
}

function listenChart(canvas) {
	on(canvas, "pointermove", (e) => {
		const { drag } = chart;
		if (!drag?.down) {
			hoverChart(e);
			return;
		}
		if (!drag.moved && abs(e.clientX - drag.x) < 5)
			return;
		leave();
		canvas.setPointerCapture(e.pointerId);
		drag.moved = true;
		panChart(drag.x - e.clientX);
		drag.x = e.clientX;
	});
	on(canvas, "pointerdown", (e) => {
		if (!e.button)
			chart.drag = { x: e.clientX, down: true };
	});
	for (const type of ["pointerup", "pointercancel"])
		on(canvas, type, () => chart.drag && (chart.drag.down = false));
	on(canvas, "pointerleave", leave);
	on(canvas, "click", clickChart);
	on(canvas, "contextmenu", (e) => {
		const k = boxAt(e);
		e.preventDefault();
		if (k >= 0)
			openMenu(e, d.name[chart.boxes[k]], chart.boxes[k]);
	});
	on(canvas, "wheel", (e) => {
		if (e.ctrlKey || e.metaKey)
			scaleChart(e.deltaY > 0 ? 1.2 : 1 / 1.2, e.offsetX);
		else if (e.shiftKey || abs(e.deltaX) > abs(e.deltaY))
			panChart(e.deltaX || e.deltaY);
		else
			return;
		e.preventDefault();
	}, { passive: false });
	on("chart_view", "scroll", drawSoon);
}
