/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a frame lies, zooms, links; and how state.js changes with them.
 */
import { floor, max, min } from "./numbers.js";
import { d, modes, view } from "./state.js";
import { f64, place } from "./data.js";
import { ordered, rewritten, ruleNames, rules } from "./rewrite.js";
import { expandAt, expandCallers, expandSandwich, expandVisible }
	from "./subtree.js";
import { foldRuns, isHidden, openRun, refold, shownAs, startTrunk, trunk }
	from "./trunk.js";
import { linkOf, profiles, revisit } from "./profiles.js";
import { captions, colorBy, draw, drawSoon, paint } from "./draw.js";
import { count, countBefore, groupTab, search, setSearch } from "./search.js";
import { diff, findLost, larger, linkDiff, recolor, restoreDiff, setCompares }
	from "./diff.js";
import { openTree, tree } from "./tree.js";
import { fillPane, showPane } from "./pane.js";
import { chart, showChart } from "./flame_chart.js";
import { mini } from "./pointer.js";
import { showSteps, showWay } from "./menu.js";
import { dataset, isDark, leave, nameOf } from "./page.js";

export const $ = (id) => document.getElementById(id);
export const on = (e, type, f, how) => (e.append ? e : $(e))
	.addEventListener(type, f, how);
export const rectOf = (id) => $(id).getBoundingClientRect();
const calm = matchMedia("(prefers-reduced-motion: reduce)");
export const widths = (g) => g.columns[diff.column] || larger(g);
export const all = () => widths(view.whole).total[0];

// The first k of lo..hi for which test(k) holds; hi if none.
export function lowest(lo, hi, test) {
	while (lo < hi) {
		const mid = lo + hi >>> 1;
		if (test(mid))
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo;
}

// Where the row of a level begins, from the top of the canvas.
export function rowTop(level) {
	return (view.icicle ? level * view.row :
		view.tall - (level + 1) * view.row) - view.top;
}

// The side of the root: callers -1, callees 1.
export function sideOf(level) {
	return Math.sign(level - d.base);
}

export const isCaller = (i) => view.mode === "callers" ||
	sideOf(d.level[i]) < 0;

// The weights from the left to the right edge in a row.  Of a sandwich only
// one side is zoomed.
export function spanOf(level) {
	return sideOf(level) * sideOf(d.level[view.focus]) < 0 ?
		[0, d.total[0]] : [view.x0, view.x1];
}

// Whether the row is one around the zoomed frame.
export function isAround(level) {
	const focus = d.level[view.focus];
	return level !== focus && (focus - level) * (level - d.base) >= 0 &&
		focus !== d.base;
}

// The node at a place of the canvas, or -1.
export function nodeAt(px, py) {
	const y = py + view.top;
	const level = floor((view.icicle ? y : view.tall - y) / view.row);
	if (level < 0 || level >= d.first.length - 1)
		return -1;
	const [x0, x1] = spanOf(level);
	const x = x0 + px * (x1 - x0) / view.width;
	const lo = d.first[level];
	const k = lowest(lo, d.first[level + 1], (k) => d.from[k] > x) - 1;
	if (k < lo)
		return -1;
	const i = d.node[k];
	return x < d.x[i] + d.total[i] ? i : -1;
}

// The rectangle of a node on the canvas: [x, y, width, height].
export function boxOf(i) {
	const [x0, x1] = spanOf(d.level[i]);
	const scale = view.width / (x1 - x0);
	const left = max((d.x[i] - x0) * scale, 0);
	const right = min((d.x[i] + d.total[i] - x0) * scale, view.width);
	return [left, rowTop(d.level[i]), max(right - left, 3), view.row];
}

export function rowsOf(focus) {
	const { level, total, end } = d;
	let rows = 0;
	if (d.split || !focus)
		return d.first.length - 1;
	for (let i = focus; i < end[focus]; i++)
		if (level[i] > rows && total[i])
			rows = level[i];
	return rows + 1;
}

export function hasMini() {
	const { clientHeight } = $("graph");
	return !d.split && clientHeight >= 300 && (mini.wanted ??
		(d.first.length - 1) * view.row > clientHeight);
}

// After a change of size, orientation or rows: the scrolled height.
export function measure() {
	const main = $("main"), canvas = $("canvas");
	if (tree.open || chart.open)
		return;
	$("mini").hidden = !hasMini();
	// A window that grew has already moved what was at the bottom.
	const ended = main.scrollTop + main.clientHeight >=
		main.scrollHeight - 1;
	const below = ended ? 0 : view.tall - view.height - main.scrollTop;
	view.width = max(main.clientWidth, 1);
	// As high as the whole graph at most: a shallow one is at the top.
	view.height = max(min(main.clientHeight, max(view.rows, rowsOf(0)) *
		view.row), 1);
	view.tall = max(view.rows * view.row, view.height);
	canvas.style.height = view.height + "px";
	$("space").style.height = view.tall - view.height + "px";
	if (!view.icicle)
		scrollTo(view.tall - view.height - below);
	view.top = main.scrollTop;
}

export function scrollTo(y) {
	$("main").scrollTop = y;
	view.top = $("main").scrollTop;
}

// The first row in sight.
function toRoot() {
	scrollTo(d.split ? (d.base + 0.5) * view.row - view.height / 2 :
		view.icicle ? 0 : view.tall);
}

export function reveal(i) {
	if (tree.open) {
		openTree(i);
		return;
	}
	if (chart.open)
		return;
	if (isHidden(i))
		openRun(shownAs(i));
	const y = rowTop(d.level[i]);
	if (y < 0 || y + view.row > view.height)
		scrollTo(view.top + y - view.height / 2);
}

// The graph from its root on, but a node of it in sight.
export function home(i = view.focus) {
	toRoot();
	reveal(i);
	draw();
}

export function look(x0, x1, animate) {
	cancelAnimationFrame(view.moving);
	view.moving = 0;
	if (!animate || calm.matches || document.hidden || tree.open ||
	    chart.open) {
		view.x0 = x0;
		view.x1 = x1;
		drawSoon();
		return;
	}
	const a = view.x0, b = view.x1, begin = performance.now();
	const step = (now) => {
		const t = min(max((now - begin) / 220, 0.02), 1);
		const rest = (1 - t) ** 3;
		view.x0 = x0 + (a - x0) * rest;
		view.x1 = x1 + (b - x1) * rest;
		view.moving = rest && requestAnimationFrame(step);
		draw();
	};
	view.moving = requestAnimationFrame(step);
}

export function show(focus, animate) {
	const { base } = d;
	view.focus = focus = expandAt(focus);
	if (isHidden(focus))
		openRun(shownAs(focus));
	view.rows = rowsOf(focus);
	showWay();
	measure();
	scrollTo(view.top + (d.base - base) * view.row);
	look(d.x[focus], d.x[focus] + max(d.total[focus], 1), animate);
	count();
}

/*
 * Links: a frame is found by FNV-1a of the names on its way, first each name's
 * own and then of these, of which a double holds 53 bits; and by its name, for
 * another profile.  Callers begin with 1.
 */
export const nameHashes = [], HALF = 2 ** 32;

function fnv(h, more) {
	const low = (h ^ more) >>> 0, p = low * 435;
	const high = floor(h / HALF) ^ floor(more / HALF);
	return (Math.imul(high, 435) + low * 256 + floor(p / HALF) &
		0x1fffff) * HALF + (p >>> 0);
}

function hashBelow(up, i) {
	const s = d.name[i];
	nameHashes[s] ||= new TextEncoder().encode(d.names[s])
		.reduce(fnv, 0x129ce484222325);
	return fnv(d.parent[i] ? up : sideOf(d.level[i]) < 0 ? 1 : 0,
		nameHashes[s]);
}

function hashOf(i) {
	return wayTo(i).reduce(hashBelow, 0).toString(36) + "." +
		nameOf(i, 300);
}

// The frames from below the root to one.
export function wayTo(i) {
	const list = [];
	for (; i; i = d.parent[i])
		list.unshift(i);
	return list;
}

// Of others with its name the widest.
function nodeOf(hash) {
	const all = f64(d.n), [wanted] = hash.split(".");
	const number = parseInt(wanted, 36);
	const name = d.method[d.names.indexOf(hash.slice(wanted.length + 1))];
	let best = 0;
	for (let i = 1; hash && i < d.n; i++) {
		all[i] = hashBelow(all[d.parent[i]], i);
		if (all[i] === number && d.total[i])
			return i;
		if (d.method[d.name[i]] === name &&
		    d.total[i] > (best && d.total[best]))
			best = i;
	}
	return best;
}

// What is typed is put there once it rests.
let late = "", resting = 0;
const past = [""];	// where a page in a sandbox has no history

function keep(url, push) {
	clearTimeout(resting);
	late = "";
	try {
		if (push)
			history.pushState(++view.pushed, "", url);
		else
			history.replaceState(view.pushed, "", url);
	} catch (e) {
		if (!push)
			past.pop();
		view.pushed = past.push(url) - 1;
	}
}

export function back() {
	if (!past[1]) {
		history.back();
		return;
	}
	past.pop();
	revisit(past.at(-1));
}

export function remember(push) {
	const p = [];
	const put = (unusual, key, text) => unusual &&
		p.push(key + "=" + encodeURIComponent(text));
	put(view.mode !== d.mode, "v", view.mode);
	put(view.mode === "sandwich", "m", view.group || d.names[view.method]);
	for (const { kind, text } of view.steps)
		put(true, kind, text);
	linkDiff(put);
	put(view.color, "c", view.color);
	put(view.heavy !== d.byWeight, "o", view.heavy ? "weight" : "name");
	put(view.focus, "z", hashOf(view.focus));
	put(search.text !== d.preset, "q", search.text);
	put(view.theme, "d", view.theme);
	put(trunk.folded !== d.folds, "k", trunk.folded ? "folded" : "open");
	put(profiles.at, "e", profiles.pages[profiles.at].metric);
	const url = "#" + p.join("&");
	if (push) {
		if (late)
			keep(late);
		keep(url, true);
	} else {
		late = url;
		clearTimeout(resting);
		resting = setTimeout(keep, 300, url);
	}
	return url;
}

export function restore(animate, hash = location.hash) {
	const p = linkOf(hash), link = Object.fromEntries(p);
	clearTimeout(resting);
	late = "";
	view.pushed = Number(history.state) || past.length - 1;
	if (/^(dark|light)$/.test(link.d)) {
		dataset.theme = view.theme = link.d;
		paint(isDark());
	}
	colorBy(link.c || "");
	const { folded } = trunk;
	startTrunk(link.k);
	const name = link.m;
	const steps = [...p].filter(([kind]) =>
		Object.hasOwn(d.moments ? ruleNames : rules, kind))
		.map(([kind, text]) => ({ kind, text }));
	if (name) {
		view.method = max(d.names.indexOf(name), 0);
		view.group = !view.method && groupTab(name) ? name : "";
	}
	setMode(link.v ?? d.mode);
	view.heavy = link.o ? link.o === "weight" : d.byWeight;
	if (!settle(steps) && folded !== trunk.folded)
		refold();
	if (d.compares)
		restoreDiff(p);
	setSearch(link.q ?? link.h ?? d.preset);
	show(nodeOf(link.z || ""), animate);
	reveal(view.focus);
}

export function zoom(i) {
	if (i < 0 || i === view.focus)
		return;
	show(i, true);
	remember(true);
}

// To the nearest frame around the zoomed one that is wider.
export function zoomOut() {
	let i = view.focus;
	const total = d.total[i];
	while (i && d.total[i] <= total)
		i = d.parent[i];
	zoom(shownAs(i));
}

function setMode(name) {
	view.mode = modes.includes(name) && (name !== "chart" ||
		d.moments?.tick) ? name : "flame";
	tree.open = view.mode === "tree";
	showChart(view.mode === "chart");
	if (!tree.open)
		view.icicle = view.mode !== "flame";
	for (const id of modes)
		$(id).ariaPressed = id === view.mode;
	$("main").hidden = tree.open || chart.open;
	$("mini").hidden ||= $("main").hidden;
	$("rows").hidden = !tree.open;
	leave();
}

// The nodes of the mode, of the steps; whether they are others than before.
function settle(steps) {
	const { mode, method } = view;
	const made = view.heavy + JSON.stringify(steps);
	const now = (mode === "callers" ? mode : mode === "sandwich" ?
		view.group || method : "") + made;
	if (now === view.settled)
		return false;
	if (made !== view.made) {
		view.made = made;
		view.whole = rewritten(view.given, steps);
		// Steps that rewrite leave siblings by name; those that only
		// choose samples leave them where they are.
		const { heavy, whole } = view;
		const same = whole.name === view.given.name;
		if (heavy !== (same && d.byWeight))
			view.whole = ordered(whole, heavy);
		view.steps = steps;
		setCompares(view.whole.columns.length > 1);
		showSteps();
	}
	view.settled = now;
	view.expanded = null;
	trunk.opened.clear();
	view.focus = 0;
	if (mode === "callers")
		expandCallers(view.whole);
	else if (mode === "sandwich")
		expandSandwich(view.whole, method || (view.method = busiest()),
			view.group);
	// The root's name, where it stands for a group.
	d.names[0] = mode === "sandwich" && view.group || "all";
	captions[0] = null;
	adopt(view.expanded ? expandVisible() : view.whole);
	return true;
}

// Other nodes replace those in view.
export function adopt(g) {
	Object.assign(d, g);
	d.deep = { level: g.level, base: g.base || 0 };
	foldRuns();
	tree.unfolded = null;
	tree.children.clear();
	leave();
	if (d.compares)
		recolor();
	place(d, widths(d));
	if (d.compares)
		findLost();
	countBefore();
}

// The method with the most of its own.
function busiest() {
	const { name, n } = view.whole, own = f64(d.names.length);
	const { self } = widths(view.whole);
	let best = 1;
	for (let i = 1; i < n; i++) {
		const m = d.method[name[i]];
		own[m] += self[i];
		if (own[m] > own[best])
			best = m;
	}
	return best;
}

// Whether no frame on the root is wide enough for a name: then the table, which
// has names, is open beside it.
function isFlat() {
	const { n, end, total } = d, least = total[0] * 32 / view.width;
	let i = 1;
	while (i < n && total[i] < least)
		i = end[i];
	return n > 1 && i >= n;
}

export function turn(name) {
	const before = view.mode;
	const at = view.current < 0 ? view.focus : view.current;
	setMode(name);
	const other = settle(view.steps);
	if (name === before && !other)
		return;
	if (other) {
		show(0);
	} else {
		count();
		measure();
	}
	home(tree.open && !other ? at : view.focus);
	remember(true);
	if (name === "callers" && isFlat())
		showPane(true);
}

// Other steps; the zoomed frame stays so if it is still there.
export function alter(steps, replace) {
	const at = view.focus ? hashOf(view.focus) : "";
	settle(steps);
	show(nodeOf(at));
	home();
	fillPane();
	remember(!replace);
}

export function sandwich(s, group = "") {
	if (s || group)
		view.group = group;
	if (s)
		view.method = d.method[s];
	turn("sandwich");
}
