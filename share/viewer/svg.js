/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The script of an SVG: zoom, search, keys and links over a picture that is
 * complete without it.  Frames are the rects of #frames, in the units of
 * that inner picture: a zoom changes its viewBox, and the labels and gaps
 * above it, which are in pixels.  With regexp.js, caption.js and
 * truncate.js.
 */
import { max, min } from "./numbers.js";
import { makeRegexp } from "./regexp.js";
import { truncate } from "./truncate.js";
import { caption } from "./caption.js";

const NS = "http://www.w3.org/2000/svg";
const XHTML = "http://www.w3.org/1999/xhtml";
const PAD = 10, LEAST_WIDTH = 300, MOST_LABELS = 1500, SMALLEST = 26;
const NARROW = 2.5;
const script = document.currentScript;
const svg = script && script.ownerSVGElement || document.documentElement;
const alone = svg === document.documentElement;
const $ = (id) => svg.querySelector("#" + id);
const frames = $("frames"), labels = $("labels"), gaps = $("gaps");
const hatches = ["new", "gone"].filter($);
const number = (e, name) => Number(e.getAttribute(name));

// Frames in preorder, sorted by place: elements are grouped by colour.
function preorder() {
	const all = [...frames.querySelectorAll("rect")];
	const y0 = number(all[0], "y");
	if (!frames.querySelector("g"))
		return all;
	return all.map((r) => ({ r, x: number(r, "x"),
		level: Math.abs(number(r, "y") - y0) }))
		.sort((a, b) => a.x - b.x || a.level - b.level)
		.map((a) => a.r);
}
const rects = preorder();
const n = rects.length;

// What the picture says of itself.
const rows = Number(frames.getAttribute("viewBox").split(" ")[3]);
const top = number(frames, "y");
const row = number(frames, "height") / rows;
const height = number(svg, "height");
const d = {
	x: new Float64Array(n), w: new Float64Array(n),
	y: new Uint32Array(n), level: new Uint32Array(n),
	parent: new Int32Array(n).fill(-1), end: new Uint32Array(n).fill(n),
};
const path = [];

for (let i = 0; i < n; i++) {
	const r = rects[i];
	d.x[i] = number(r, "x");
	d.w[i] = number(r, "width");
	d.y[i] = number(r, "y");
	const level = Math.abs(d.y[i] - d.y[0]);
	d.level[i] = level;
	while (path.length > level)
		d.end[path.pop()] = i;
	if (level)
		d.parent[i] = path[level - 1];
	path.push(i);
}
const inverted = !d.y[0];

// "name (1,234 samples, 5.67%)": the name, and what is in the brackets.
const titles = [];

function title(i) {
	if (!titles[i]) {
		const s = rects[i].textContent;
		titles[i] = /^(.*) \((-?\d[\d,.]* .*)\)$/s.exec(s) ||
			[s, s, ""];
	}
	return titles[i];
}

const view = { focus: 0, at: -1, width: 0 };
const search = { text: "", fold: false, test: null, why: "", list: [], at: -1 };

// Making things -------------------------------------------------------------

function element(kind, attributes, parent) {
	const e = document.createElementNS(NS, kind);
	for (const key in attributes)
		e.setAttribute(key, attributes[key]);
	if (parent)
		parent.append(e);
	return e;
}

function control(kind, id, text, about, parent) {
	const e = document.createElementNS(XHTML, kind);
	e.id = id;
	e.textContent = text;
	if (about)
		e.title = about;
	parent.append(e);
	return e;
}

const here = element("rect", { id: "here", "pointer-events": "none" }, svg);
const tools = element("foreignObject", { id: "tools", height: 34 }, svg);
const bar = control("div", "bar", "", "", tools);
const unzoom = control("button", "unzoom", "Reset zoom", "0", bar);
control("span", "space", "", "", bar);
const matched = control("span", "matched", "", "", bar);
const before = control("button", "before", "\u2191", "N: previous", bar);
const after = control("button", "after", "\u2193", "n: next", bar);
const box = control("input", "search", "", "/ or Ctrl-F", bar);
const ignorecase = control("button", "ignorecase", "aA",
	"Ctrl-I: ignore case; else capitals count where there are some", bar);
const tip = element("g", { id: "tip", "pointer-events": "none" }, svg);
const tipBack = element("rect", { id: "tipback", height: 24 }, tip);
const tipText = element("text", { x: PAD, y: 16, role: "status" }, tip);

box.placeholder = "Search (regexp)";
box.spellcheck = false;
matched.setAttribute("role", "status");
svg.classList.add("live");

// Drawing --------------------------------------------------------------------

// Widths of the font that is there; the picture's own were for a wide one.
const pen = document.createElementNS(XHTML, "canvas").getContext("2d");
const style = getComputedStyle(labels);
const fontSize = parseFloat(style.fontSize) || 12;

if (pen)
	pen.font = style.fontWeight + " " + fontSize + "px " + style.fontFamily;
const ruler = pen || { measureText: () => ({ width: fontSize * 0.6 }) };
const captions = new Map();

// Of a comparison what the colour says, as a number: the fifth says nothing.
function change(i) {
	const [, total, self] = /, ([+-](?:,?\d)+)(?:; self ([+-](?:,?\d)+))?/.exec(
		title(i)[2]) || [];
	const n = frames.dataset.delta ? total : self || total;
	return n && n !== "+0" && !rects[i].closest(".c5") ? " " + n : "";
}

function captionOf(name) {
	if (!captions.has(name))
		captions.set(name, caption(name));
	return captions.get(name);
}

// "first … last +2" of a run that is drawn as one frame.
function runCaption(name) {
	const run = name.split(" → ");
	const ends = [run[0], run.at(-1)].map(captionOf);
	const forms = [0, 1, 2].map((k) => ends.map((c) =>
		c[0].slice(k && c[k])).join(" … ") + " +" + (run.length - 2));
	return Object.assign([forms[0], 0, 0], { forms });
}

function label(i, width) {
	const name = title(i)[1], tag = change(i);
	const c = rects[i].hasAttribute("data-run") ? runCaption(name) :
		captionOf(name);
	const text = tag && truncate(ruler, [c[0] + tag, c[1], c[2]], width);
	return text && !text.endsWith("\u2026") ? text : truncate(ruler, c, width);
}

function isAbove(i) {
	return i < view.focus && d.end[i] > view.focus;
}

// Frames in sight from `least` pixels on: call(i, left, width, y).
function each(least, call) {
	const f = view.focus, scale = (view.width - 2 * PAD) / max(d.w[f], 1);
	for (let i = d.parent[f]; i >= 0; i = d.parent[i])
		call(i, PAD, view.width - 2 * PAD, top + d.y[i] * row);
	for (let i = f; i < d.end[f];) {
		const w = d.w[i] * scale;
		if (w < least) {
			i = d.end[i];
			continue;
		}
		call(i, PAD + (d.x[i] - d.x[f]) * scale, w, top + d.y[i] * row);
		i++;
	}
}

const px = (x) => x.toFixed(1);

function drawLabels() {
	const some = [], page = document.createDocumentFragment();
	if (row < 12)
		return;
	each(SMALLEST, (i, x, w, y) => some.push([i, x, w, y]));
	if (some.length > MOST_LABELS)
		some.sort((a, b) => b[2] - a[2]).length = MOST_LABELS;
	for (const [i, x, w, y] of some) {
		const text = label(i, w - 8);
		if (!text)
			continue;
		const e = element("text", { x: px(x + 4),
			y: px(y + row / 2 + fontSize / 3) }, page);
		e.textContent = text;
		if (isAbove(i))
			e.setAttribute("class", "above");
		if (rects[i].classList.contains("hit"))
			e.classList.add("hit");
	}
	labels.replaceChildren(page);
}

function drawGaps() {
	const wide = view.width - 2 * PAD;
	const hatched = hatches.map(() => "");
	let lines = "";
	for (let k = 1; k <= rows; k++)
		lines += "M" + PAD + " " + px(top + k * row - 0.5) + "h" + wide;
	each(NARROW, (i, x, w, y) => {
		if (i && !isAbove(i))
			lines += "M" + px(x + w - 0.5) + " " + px(y) +
				"v" + row;
		const kind = hatches.length ?
			hatches.indexOf(title(i)[2].split(", ").pop()) : -1;
		if (kind >= 0)
			hatched[kind] += "M" + px(x) + " " + px(y) + "h" +
				px(w - 1) + "v" + (row - 1) + "h" + px(1 - w) + "z";
	});
	gaps.setAttribute("d", lines);
	hatches.forEach((id, k) => $(id).setAttribute("d", hatched[k]));
}

function drawHead() {
	const w = view.width, heading = $("title");
	for (const id of ["title", "subtitle"])
		if ($(id))
			$(id).setAttribute("x", w / 2);
	tools.setAttribute("width", w);
	tipBack.setAttribute("width", w);
	unzoom.hidden = !view.focus;
	// Where the heading has no room, it is left out.
	const left = bar.firstChild.offsetWidth + 2 * PAD;
	const right = w - (matched.offsetLeft || w - 330);
	const half = heading.getComputedTextLength() / 2 + PAD;
	heading.style.visibility = w / 2 < max(left, right) + half ?
		"hidden" : "";
}

// Outlines the frame chosen by keyboard, and describes it or the pointer's.
function drawHere() {
	here.style.display = "none";
	if (view.at < 0)
		return;
	each(0, (i, x, w, y) => {
		if (i !== view.at)
			return;
		here.style.display = "";
		here.setAttribute("x", px(x));
		here.setAttribute("y", px(y));
		here.setAttribute("width", px(max(w - 1, 2)));
		here.setAttribute("height", row - 1);
	});
}

function percent(part, whole) {
	return (100 * part / max(whole, 1)).toFixed(2) + "%";
}

function tell(i) {
	tip.style.display = i < 0 ? "none" : "";
	if (i < 0)
		return;
	const [, name, about] = title(i), f = view.focus;
	const kind = frames.getAttribute("data-nametype");
	let text = (kind ? kind + " " : "") + name + " \u2014 " + about.replace(/%$/, "% of all");
	if (f && !isAbove(i))
		text += ", " + percent(d.w[i], d.w[f]) + " of view";
	tipText.textContent = text;
	stick();
}

// Tools and tip stay in sight of a long picture.
function stick() {
	if (!alone)
		return;
	const y = window.scrollY || 0;
	const foot = min(top + rows * row + 4, y + window.innerHeight - 24);
	tools.setAttribute("y", y);
	tip.setAttribute("transform", "translate(0 " + foot + ")");
	bar.className = y > 4 ? "stuck" : "";
}

function draw() {
	const f = view.focus, inner = view.width - 2 * PAD;
	svg.setAttribute("width", view.width);
	svg.setAttribute("viewBox", "0 0 " + view.width + " " + height);
	frames.setAttribute("width", inner);
	frames.setAttribute("viewBox", [d.x[f], 0, max(d.w[f], 1), rows]
		.join(" "));
	for (const e of frames.querySelectorAll(".above"))
		e.classList.remove("above");
	for (let i = d.parent[f]; i >= 0; i = d.parent[i])
		rects[i].classList.add("above");
	drawGaps();
	drawLabels();
	drawHead();
	drawHere();
	tell(view.at);
}

function resize() {
	const fluid = alone && !svg.classList.contains("fixed");
	const w = fluid ? max(document.documentElement.clientWidth ||
		window.innerWidth, LEAST_WIDTH) : number(svg, "width");
	if (w !== view.width) {
		view.width = w;
		draw();
	}
	stick();
}

// Search --------------------------------------------------------------------

// A test of names, as they are or as they are written on frames.
function matcher(text) {
	const fold = search.fold || !/[A-Z]/.test(text.replace(/\\./g, ""));
	const re = makeRegexp(text, fold ? "i" : "");
	const known = new Map();
	return (name) => {
		if (!known.has(name))
			known.set(name, re.test(name) ||
				re.test(captionOf(name)[0]));
		return known.get(name);
	};
}

// The share of the view that matches: a match within a match adds nothing.
function count() {
	const f = view.focus;
	let sum = 0, inside = 0;
	search.list = [];
	search.at = -1;
	for (let i = max(f, 1); search.test && i < d.end[f]; i++) {
		if (!search.test(title(i)[1]))
			continue;
		search.list.push(i);
		if (i >= inside) {
			sum += d.w[i];
			inside = d.end[i];
		}
	}
	matched.textContent = search.why ? "no regexp" : !search.test ? "" :
		"Matched: " + percent(sum, d.w[f]);
	matched.title = search.why;
	before.hidden = after.hidden = !search.list.length;
	box.className = search.why ? "bad" : "";
	box.setAttribute("aria-invalid", !!search.why);
}

function setSearch(text) {
	search.text = text;
	search.test = null;
	search.why = "";
	if (box.value !== text)
		box.value = text;
	try {
		search.test = text ? matcher(text) : null;
	} catch (e) {
		search.why = e.message;
	}
	for (const e of [frames, labels])
		e.setAttribute("class", search.test ? "searched" : "");
	for (let i = 1; i < n; i++)
		rects[i].classList.toggle("hit", !!search.test &&
			search.test(title(i)[1]));
	ignorecase.setAttribute("aria-pressed", search.fold);
	count();
}

function find(text) {
	setSearch(text);
	draw();
	remember(false);
}

function step(by) {
	const m = search.list.length;
	if (!m)
		return;
	search.at = search.at < 0 && by < 0 ? m - 1 : (search.at + by + m) % m;
	point(search.list[search.at]);
	matched.textContent = matched.textContent.replace(/( \u00b7.*)?$/,
		" \u00b7 " + (search.at + 1) + "/" + m);
}

// Moving --------------------------------------------------------------------

function point(i) {
	view.at = i;
	drawHere();
	tell(i);
	if (i < 0 || !alone)
		return;
	const y = top + d.y[i] * row;
	if (y < window.scrollY + 40 ||
	    y + row > window.scrollY + window.innerHeight - 24)
		window.scrollTo(0, max(y - window.innerHeight / 2, 0));
}

function show(i) {
	view.focus = i;
	if (view.at >= 0 && !isAbove(view.at) &&
	    (view.at < i || view.at >= d.end[i]))
		view.at = -1;
	count();
	draw();
}

function zoom(i) {
	if (i < 0 || i === view.focus)
		return;
	show(i);
	remember(true);
}

function widest(i) {
	let best = -1;
	for (let k = i + 1; k < d.end[i]; k = d.end[k])
		if (best < 0 || d.w[k] > d.w[best])
			best = k;
	return best;
}

function beside(i, by) {
	const f = view.focus;
	for (let k = i + by; k > f && k < d.end[f]; k += by)
		if (d.level[k] === d.level[i])
			return k;
	return i;
}

function walk(key) {
	const i = view.at;
	const out = key === (inverted ? "ArrowUp" : "ArrowDown");
	if (i < 0)
		return point(view.focus);
	if (key === "ArrowLeft" || key === "ArrowRight")
		return point(isAbove(i) ? i :
			beside(i, key === "ArrowLeft" ? -1 : 1));
	if (out)
		return d.parent[i] >= 0 && point(d.parent[i]);
	let k = isAbove(i) ? view.focus : widest(i);
	while (isAbove(i) && d.parent[k] !== i)
		k = d.parent[k];
	return k >= 0 && point(k);
}

// Links ----------------------------------------------------------------------

// As in the page: a level, and a hash of the names on the way.
let hashes;

function hashName(s) {
	let h = 2166136261;
	for (let k = 0; k < s.length; k++)
		h = Math.imul(h ^ s.charCodeAt(k), 16777619);
	return h;
}

function hashOf(i) {
	if (!hashes) {
		hashes = new Uint32Array(n);
		for (let k = 1; k < n; k++) {
			const h = hashes[d.parent[k]] * 31 ^
				hashName(title(k)[1]);
			hashes[k] = Math.imul(h ^ h >>> 15, 0x2c1b3c6d);
		}
	}
	return d.level[i] + "." + hashes[i].toString(36);
}

function frameOf(hash) {
	for (let i = 1; i < n; i++)
		if (d.level[i] === parseInt(hash, 10) && hashOf(i) === hash)
			return i;
	return 0;
}

// Some frames of other pages have no history: nothing depends on it.
function remember(push) {
	const p = [];
	if (!alone)
		return;
	if (view.focus)
		p.push("z=" + hashOf(view.focus));
	if (search.text)
		p.push("q=" + encodeURIComponent(search.text));
	if (search.fold)
		p.push("i=1");
	try {
		const url = "#" + p.join("&");
		if (push)
			history.pushState(null, "", url);
		else
			history.replaceState(null, "", url);
	} catch (e) {
		return;
	}
}

function restore() {
	const of = (text) => new URLSearchParams(
		text.slice(1).replaceAll("+", "%2b"));
	const p = of(alone ? location.hash : "");
	// The peers' pictures have their search in the query.
	const old = of(alone ? location.search : "");
	search.fold = p.has("i");
	view.focus = p.has("z") ? frameOf(p.get("z")) : 0;
	setSearch(p.get("q") || old.get("s") || "");
	view.width = 0;
	resize();
}

// Pointer and keys -----------------------------------------------------------

const indexOf = new Map(rects.map((r, i) => [r, i]));

function frameAt(e) {
	const r = e.target.closest ? e.target.closest("rect") : null;
	return indexOf.has(r) ? indexOf.get(r) : -1;
}

frames.addEventListener("click", (e) => {
	const i = frameAt(e), link = e.target.closest("a");
	if (link && !e.ctrlKey && !e.metaKey)
		return;
	e.preventDefault();
	zoom(i);
});
frames.addEventListener("mouseover", (e) => tell(frameAt(e)));
frames.addEventListener("mouseout", () => tell(view.at));
unzoom.addEventListener("click", () => zoom(0));
before.addEventListener("click", () => step(-1));
after.addEventListener("click", () => step(1));
box.addEventListener("input", () => find(box.value));

function foldCase() {
	search.fold = !search.fold;
	find(search.text);
}
ignorecase.addEventListener("click", foldCase);

// What was opened last is closed first.
function escape() {
	if (search.text)
		find("");
	else if (view.at >= 0)
		point(-1);
	else if (view.focus)
		zoom(d.parent[view.focus]);
	box.blur();
}

function inBox(e) {
	if (e.key !== "Enter")
		return false;
	step(e.shiftKey ? -1 : 1);
	return true;
}

function command(e) {
	if (e.key.startsWith("Arrow"))
		walk(e.key);
	else if (e.key === "Enter" && view.at >= 0)
		zoom(view.at);
	else if (e.key === "n" || e.key === "N")
		step(e.key === "n" ? 1 : -1);
	else if (e.key === "0")
		zoom(0);
	else if (e.key === "Backspace" || e.key === "[")
		history.back();
	else if (e.key === "]")
		history.forward();
	else if (e.key === "/")
		box.focus();
	else
		return false;
	return true;
}

function press(e) {
	const control = e.ctrlKey || e.metaKey;
	let mine = true;
	if (e.key === "F3" || (control && e.key.toLowerCase() === "f")) {
		box.focus();
		box.select();
	} else if (control && e.key.toLowerCase() === "i") {
		foldCase();
	} else if (e.key === "Escape") {
		escape();
	} else if (control || e.altKey) {
		return;
	} else if (e.target === box) {
		mine = inBox(e);
	} else if (e.key === "Enter" && e.target.localName === "button") {
		return;
	} else {
		mine = command(e);
	}
	if (mine)
		e.preventDefault();
}

if (alone) {
	// A phone else lays it out 980 pixels wide and shows that small.
	const meta = document.createElementNS(XHTML, "meta");
	meta.name = "viewport";
	meta.content = "width=device-width";
	svg.append(meta);
	window.addEventListener("keydown", press);
	window.addEventListener("resize", resize);
	window.addEventListener("scroll", stick);
	window.addEventListener("popstate", restore);
} else {
	svg.setAttribute("tabindex", 0);
	svg.addEventListener("keydown", press);
}
restore();
// A deep picture opens at its base: above are but the tips.
if (alone && !inverted)
	window.scrollTo(0, height);
