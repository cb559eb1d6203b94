/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The page around the canvas: numbers, tooltip, status line, keys, theme.
 * Names come from outside: they become text, never markup.
 */
import { min, round } from "./numbers.js";
import { d, modes, view } from "./state.js";
import { typeNames } from "./data.js";
import { $, all, alter, back, boxOf, hasMini, home, lowest, measure, nodeAt, on,
	rectOf, remember, restore, reveal, sandwich, show, turn, zoom, zoomOut }
	from "./view.js";
import { captionAt, flipTrunk, openRun, runOf, shownAs, trunk }
	from "./trunk.js";
import { loadAbout, openAbout } from "./about.js";
import { listProfiles, listenProfiles, load, profileOf, profiles, revisit,
	turnTo } from "./profiles.js";
import { captionOf, colorBy, colorings, draw, drawSoon, paint, placeHover,
	shownOf } from "./draw.js";
import { find, search, step } from "./search.js";
import { changeTable, compare, describeChange, diff, isLone, loneWord, lostText,
	nextColors, startDiff } from "./diff.js";
import { listenTree, tree, treeKeys } from "./tree.js";
import { listenPane, showPane, sift, sumsOf, upTo } from "./pane.js";
import { dropSpans, listenTime, nudge, soleOf } from "./time.js";
import { addChart, chart, chartKeys } from "./flame_chart.js";
import { listenPrint, announce } from "./export.js";
import { kidsOn, listenPointer, mini, pan, readOut, scale } from "./pointer.js";
import { actByKey, actions, listenMenu, openExport, openHelp, openSource, putAt,
	sourceLink, sourceUrl } from "./menu.js";

export function grouped(n) {
	return (typeof n === "bigint" ? n : round(n)).toString().replace(/\B(?=(\d{3})+$)/g, ",");
}

export function percent(part, whole) {
	return (whole > 0 ? part / whole * 100 : 0).toFixed(2) + "%";
}

function scaled(n, step, units) {
	let i = 0;
	while (n >= step && i + 1 < units.length) {
		n /= step;
		i++;
	}
	const digits = i ? n.toPrecision(n < 100 ? 3 : 4) : grouped(n);
	return digits.replace(/\.0*$|(\.\d*?)0+$/, "$1") + " " + units[i];
}

// A value in its unit: 12.3 MiB, 4.56 s, 1,234 samples.
export function amount(n, unit = d.unit) {
	if (unit === "bytes")
		return scaled(Number(n), 1024, ["B", "KiB", "MiB", "GiB", "TiB"]);
	if (unit === "ns") {
		n = Number(n);
		if (n < 120e9)
			return scaled(n, 1000, ["ns", "µs", "ms", "s"]);
		return n < 7200e9 ? (n / 60e9).toFixed(1) + " min" :
			(n / 3600e9).toFixed(1) + " h";
	}
	if (unit === "core-us") {
		n = Number(n) / 1e6;
		return n < 7200 ? n.toPrecision(n < 100 ? 3 : 4) + " core-s" :
			(n / 3600).toFixed(1) + " core-h";
	}
	if (unit === "money/1000000")
		return (Number(n) / 1e6).toPrecision(4);
	return grouped(n) + " " + (n === 1 ? unit.replace(/s$/, "") : unit);
}

// The same where it stands with others of its unit.
export function plain(n, unit = d.unit) {
	if (unit === "bytes" || unit === "ns" || /^core-us|^money/.test(unit))
		return amount(n, unit);
	return typeof n !== "bigint" && n % 1 && n < 10 ? n.toFixed(1) : grouped(n);
}

export const short = (s, n) => s.length > n ? s.slice(0, n) + "…" : s;
export const nameOf = (i, most) => short(spelled(d.name[i]), most);
// Controls of the direction of text would show another name than there is.
export const seenAs = (s) => s.replace(
	/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "\ufffd");
// With dots where labels have them.
export const spelled = (s) => d.spelling[0][s] & 1 ? shownOf(s) :
	seenAs(d.names[s]);
// Those that are something.
export const joined = (by, ...texts) => texts.filter((s) => s).join(by);

const ofAll = (n) => percent(n, all()) + " of all";

// Where that is not the same.
function ofView(n) {
	const seen = d.total[view.focus];
	return (view.focus || d.split) && n <= seen &&
		percent(n, seen) + " of view";
}

// Exact where doubles are not: sums above 2^53 are BigInts.
export const exactSum = ({ sum, total }) =>
	sum > Number.MAX_SAFE_INTEGER ? sum : total[0];
const totalOf = (i) => !i && d.columns === view.given.columns && !d.compares ?
	exactSum(d.columns[0]) : d.total[i];

export function describe(i) {
	const total = d.total[i];
	return (trunk.runs.has(i) ? captionAt(i)[0] : nameOf(i, 300)) + " — " + (d.compares ? describeChange(i) :
		amount(totalOf(i)) + " (" + joined(", ", ofAll(total),
			ofView(total)) + ")" +
		(d.self[i] ? ", self " + amount(d.self[i]) : ""));
}

export function setCurrent(i) {
	if (i === view.current)
		return;
	view.current = i;
	$("status").textContent = i < 0 ? "" : describe(i);
	placeHover();
}

// By keyboard: in sight, outlined, named in the status line.
export function point(i) {
	leave();
	reveal(i);
	if (tree.open)
		return;
	setCurrent(i);
	if (chart.open)
		return;
	readOut(i);
	draw();
}

function pin() {
	if (view.current < 0 || view.pinned) {
		leave();
		return;
	}
	view.pinned = chart.open;
	if (view.pinned)
		return;
	const [x, , w] = boxOf(view.current);
	if ($("tip").hidden)
		placeTip(view.current, x + min(w / 2, 200), true);
	view.pinned = true;
	$("tip").className = "pinned";
}

export function element(tag, text, ...children) {
	const e = document.createElement(tag);
	if (text)
		e.textContent = text;
	e.append(...children);
	return e;
}

function row(head, value, ...shares) {
	return element("tr", "", element("th", head), element("td", value),
		element("td", joined(", ", ...shares)));
}

export function fillTip(i, sole) {
	const symbol = d.name[i], name = d.names[symbol];
	const [text, at] = captionOf(symbol);
	const where = joined(" · ", upTo(text, at), typeNames[d.type[symbol]]);
	const total = d.total[i], self = d.self[i];
	const table = d.compares ? changeTable(i) : element("table", "",
		row("Total", amount(totalOf(i)), ofAll(total), ofView(total),
			i && percent(total, d.total[d.parent[i]]) +
			" of parent"),
		row("Self", amount(self), ofAll(self)),
		...everywhere(i));
	const lone = isLone(i) && i ? [element("mark", loneWord(i))] : [];
	$("tip").replaceChildren(
		element("b", short(text.slice(at), 240), ...lone),
		element("i", short(where, 400)), table);
	if (!name.endsWith(text) && name.replaceAll("/", ".") !== text)
		$("tip").append(element("i", short(name, 400)));
	if (d.compares && lostText(i))
		$("tip").append(element("i", lostText(i)));
	if (trunk.runs.has(i))
		$("tip").append(...runOf(i).slice(1, 13).map((k) => element("i",
			short(captionOf(d.name[k])[0], 120))), element("i",
			"One row for " + runOf(i).length +
			" frames; a click opens it"));
	$("tip").append(...sourceLink(symbol), ...sole.map((s) => element("i", short(s, 200))));
}

// The function wherever it stands, if that is more than here.
function everywhere(i) {
	const { of, columns } = sumsOf("Functions"), k = of[d.name[i]];
	const { self, total } = columns[diff.column];
	return !i || total[k] === d.total[i] ? [] : [
		row("Everywhere", amount(total[k]), ofAll(total[k])),
		row("Self", amount(self[k]), ofAll(self[k]))];
}

// At this many pixels from the left of the canvas, with all that is known.
function placeTip(i, px, full) {
	const tip = $("tip"), main = rectOf("main");
	const [, y, , h] = boxOf(i);
	if (tip.hidden || i !== filled || full)
		fillTip(filled = i, full ? soleOf(i) : []);
	tip.hidden = false;
	const tall = tip.offsetHeight, top = main.top + y + h + 10;
	putAt(tip, main.left + px + 12, top + tall > innerHeight - 30 ?
		main.top + y - tall - 8 : top);
}

// The frame that the tooltip names, which comes when the pointer has stayed
// with it for a while.
let filled = -1, waiting = 0;

function tellMore() {
	waiting = 0;
	if (view.current >= 0)
		placeTip(view.current, view.pointer, true);
}

export function hoverAt(e) {
	if (view.pinned)
		return view.current;
	const { hidden } = $("tip"), i = nodeAt(e.offsetX, e.offsetY);
	view.pointer = e.offsetX;
	if (i !== view.current || (hidden && !waiting)) {
		clearTimeout(waiting);
		waiting = setTimeout(tellMore, 100);
	}
	setCurrent(i);
	$("canvas").style.cursor = i < 0 ? "" : "pointer";
	if (i < 0)
		$("tip").hidden = true;
	else if (!hidden)
		placeTip(i, view.pointer);
	return i;
}

export function leave() {
	view.pinned = false;
	$("tip").className = "";
	clearTimeout(waiting);
	waiting = 0;
	view.pointer = -1;
	$("tip").hidden = true;
	setCurrent(-1);
}

// Arrows walk the frames as they are drawn.
function walk(key) {
	let i = view.current < 0 ? view.focus : view.current;
	const { split, level, first, node, from, total } = d, at = level[i];
	const up = key === "ArrowUp";
	const callers = split && (i >= split || (!i && up));
	if (key === "ArrowLeft" || key === "ArrowRight") {
		const k = lowest(first[at], first[at + 1], (k) =>
			node[k] >= i) + (key === "ArrowLeft" ? -1 : 1);
		if (level[node[k]] === at && from[k] >= view.x0 &&
		    from[k] < view.x1)
			i = node[k];
	} else if (up !== (view.icicle && !callers)) {
		const [widest] = kidsOn(i, callers ? -1 : 1)
			.sort((a, b) => total[b] - total[a]);
		i = widest || i;
	} else {
		i = shownAs(d.parent[i]);
	}
	point(i);
}

// A run opens, a frame is zoomed.
function enter(i) {
	if (trunk.runs.has(i))
		openRun(i);
	else
		zoom(i);
}

export const { dataset } = document.documentElement;
const darkness = matchMedia("(prefers-color-scheme: dark)");

export function isDark() {
	const { theme } = dataset;
	return theme ? theme === "dark" : darkness.matches;
}

// What is chosen for all pages; in a sandbox the choice ends with the page.
export function stored(key, value) {
	try {
		if (value)
			localStorage.setItem(key, value);
		else
			value = localStorage.getItem(key);
	} catch (e) {
		// No memory.
	}
	return value;
}

function setTheme(theme) {
	theme = stored("flame-theme", theme);
	if (theme)
		dataset.theme = theme;
	paint(isDark());
}

function flipTheme() {
	setTheme(view.theme = isDark() ? "light" : "dark");
	draw();
	remember();
}

function focusSearch() {
	$("search").focus();
	$("search").select();
}

export function escape() {
	$("live").textContent = "";
	// From the search to the frame that it found, unless that is zoomed.
	if (view.current >= 0 && view.current !== view.focus &&
	    $("search").matches(":focus"))
		return focusGraph();
	if (search.text)
		find("");
	else if (!$("pane").hidden && $("sift").value)
		sift("");
	else if (!$("pane").hidden)
		showPane(false);
	else if (view.focus && !tree.open && !chart.open && !view.pinned)
		zoomOut();
	else if (!view.pinned)
		dropSpans();
	if (!tree.open)
		leave();
	focusGraph();
}

function focusGraph() {
	$(tree.open ? "rows" : chart.open ? "chart_canvas" : "canvas")
		.focus({ preventScroll: true });
}

// To another page of the site.
function follow(rel) {
	document.querySelector(`#site [rel=${rel}]`)?.click();
}

export const keys = {
	"/": focusSearch,
	n: () => step(1),
	N: () => step(-1),
	0: () => reset(),
	i: () => turn(view.mode === "icicle" ? "flame" : "icicle"),
	r: () => turn(view.mode === "callers" ? "flame" : "callers"),
	t() {
		showPane($("pane").hidden);
		if ($("pane").hidden)
			focusGraph();
		else
			$("list").focus();
	},
	w() {
		view.heavy = !view.heavy;
		alter(view.steps);
	},
	v() {
		mini.wanted = !hasMini();
		measure();
		draw();
	},
	e: openExport,
	I: openAbout,
	"?": openHelp,
	"[": back,
	"]": () => history.forward(),
	"+": () => scale(0.8),
	"-": () => scale(1.25),
	" ": pin, p: pin,
	b: () => d.compares && compare((diff.column + 2) % 3),
	k() {
		if (d.compares) {
			nextColors();
			return;
		}
		colorBy(colorings[(colorings.indexOf(view.color) + 1) % 3]);
		draw();
		announce("Colours: " + d.colored);
		remember();
	},
	d: flipTheme,
	F: flipTrunk,
	j: () => follow("next"), J: () => follow("prev"), U: () => follow("up"),
	",": () => nudge(-1), ".": () => nudge(1),
	"<": () => nudge(-1, true), ">": () => nudge(1, true),
	E: () => turnTo((profiles.at + 1) % profiles.pages.length),
	Escape: escape,
	Backspace: () => view.pushed ? back() : zoomOut(),
	Enter() {
		const i = view.current, opens = trunk.runs.has(i);
		enter(i);
		if (opens)
			point(i);
	},
	ArrowUp: walk, ArrowDown: walk, ArrowLeft: walk, ArrowRight: walk,
};

modes.forEach((name, k) => keys[k + 1] = () => turn(name));
for (const [, key] of actions.slice(1))
	keys[key] = actByKey;

// Where keys zoom: at the pointer, amid the frame in hand, or amid all.
export function middle() {
	const [x, , w] = chart.open ? [0, 0, chart.width] : view.current < 0 ?
		[0, 0, view.width] : boxOf(view.current);
	return view.pointer < 0 ? x + w / 2 : view.pointer;
}

export function reset() {
	if (chart.open)
		dropSpans();
	if (view.focus)
		zoom(0);
	else
		show(0, true);
}

function onKey(e) {
	const { key, target, shiftKey, altKey } = e, { tagName } = target;
	const typing = tagName === "INPUT";
	const does = { ...keys, ...tree.open ? treeKeys :
		chart.open ? chartKeys : {} }[key];
	const control = e.ctrlKey || e.metaKey, enter = key === "Enter";
	const way = { ArrowLeft: -1, ArrowRight: 1 }[key];
	if (typing && altKey && enter) {
		if (search.at < 0)
			step(1);
		zoom(view.current);
		return;
	}
	if (control && key === "f" && !altKey) {
		focusSearch();
	} else if (control || altKey || !does) {
		return;
	} else if (way && target === $("heat")) {
		nudge(way, shiftKey);
	} else if (way && shiftKey && !typing) {
		pan(way * 80);
	} else if (typing && enter) {
		step(shiftKey ? -1 : 1);
	} else if (key !== "Escape" && (typing || tagName === "SELECT" ||
		   (tagName === "BUTTON" &&
		    /^(Enter| |Arrow.*)$/.test(key)))) {
		return;
	} else {
		does(key);
	}
	e.preventDefault();
}

let clicked = 0;	// the symbol
let tapped = 0;		// the node that a finger was at: now it zooms

function listen() {
	on("canvas", "mousemove", hoverAt);
	on("canvas", "mouseleave", leave);
	on("canvas", "click", (e) => {
		if (view.pinned || view.dragged || e.detail > 1) {
			if (view.pinned)
				leave();
			return;
		}
		const i = hoverAt(e);
		clicked = i > 0 ? d.name[i] : 0;
		if (sourceUrl && (e.ctrlKey || e.metaKey)) {
			openSource(clicked);
			return;
		}
		if (e.pointerType === "touch" && i !== tapped) {
			tapped = i;
			return;
		}
		leave();
		if (i === view.focus && !trunk.runs.has(i))
			reset();
		else
			enter(i);
	});
	on("canvas", "dblclick", () => clicked && sandwich(clicked));
	on("main", "scroll", () => {
		// It may have been drawn there.
		if ($("main").scrollTop === view.top)
			return;
		leave();
		drawSoon();
	});
	// Of most buttons the title names the key that does the same.
	for (const b of document.querySelectorAll("header button[title*='(']"))
		on(b, "click", () => keys[b.title.split("(")[1][0]]());
	on("skip", "click", focusGraph);
	on("search", "input", () => find($("search").value));
	addEventListener("keydown", onKey);
	addEventListener("popstate", () => revisit(location.hash));
	darkness.addEventListener("change", () => { setTheme(); draw(); });
	const resized = () => {
		const { width, height } = view;
		measure();
		if (tree.open || chart.open || width !== view.width || height !== view.height)
			draw();
	};
	// What is done then, as to show a scrollbar, changes what is observed.
	const sizes = new ResizeObserver(() => requestAnimationFrame(resized));
	sizes.observe($("main"));
	sizes.observe($("rows"));
	if (modes[5])
		sizes.observe($("chart_view"));
	listenTree();
	listenProfiles();
	listenPane();
	listenMenu();
	listenPointer();
	listenPrint();
}

export async function start() {
	addChart();
	listProfiles();
	await loadAbout();
	await load(profileOf(location.hash));
	view.icicle = !!d.inverted;
	view.row = d.rowHeight || (matchMedia("(pointer: coarse)").matches ?
		28 : 20);
	view.ctx = $("canvas").getContext("2d", { alpha: false });
	view.family = getComputedStyle(document.body).fontFamily;
	setTheme();
	listen();
	startDiff();
	listenTime();
	restore();
	home();
	$("first").remove();
}
