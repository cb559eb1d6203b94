/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pointers: dragging, pinching and long presses on the graph, the overview
 * above it; and the tree of frames that screen readers are given.
 */
import { abs, ceil, max, min, round } from "./numbers.js";
import { d, view } from "./state.js";
import { $, all, look, on, rectOf, sideOf, wayTo } from "./view.js";
import { captionAt, isHidden, runOf, shownAs } from "./trunk.js";
import { css, paintRows } from "./draw.js";
import { search } from "./search.js";
import { diff } from "./diff.js";
import { kidsOf, placed } from "./tree.js";
import { chart, panChart, scaleChart } from "./flame_chart.js";
import { openMenu } from "./menu.js";
import { element, hoverAt, leave, middle, percent, short } from "./page.js";

export const mini = { picture: null, of: [], due: 0,
	wanted: null };	// by key; else where a graph has more than is in sight
const MINI = 40;

// The span in view as another one, within the whole.
function lookAt(x0, x1) {
	const [all] = d.total, size = min(max(x1 - x0, all / 1e9), all);
	x0 = min(max(x0, 0), all - size);
	look(x0, x0 + size);
}

export function pan(px) {
	if (chart.open) {
		panChart(px);
		return;
	}
	const by = px * (view.x1 - view.x0) / view.width;
	lookAt(view.x0 + by, view.x1 + by);
}

// By a factor, around a place of the canvas.
export function scale(by, px = middle()) {
	if (chart.open) {
		scaleChart(by, px);
		return;
	}
	const x = view.x0 + px * (view.x1 - view.x0) / view.width;
	lookAt(x + (view.x0 - x) * by, x + (view.x1 - x) * by);
}

export function drawMini() {
	const canvas = $("mini"), { width } = view, { picture } = mini;
	if (canvas.hidden)
		return;
	const of = [d.node, search.hit, view.look, d.color, width,
		view.icicle, diff.step];
	if (of.some((v, k) => v !== mini.of[k])) {
		mini.of = of;
		mini.frame = getComputedStyle(canvas).color;
		clearTimeout(mini.due);
		mini.due = setTimeout(() => {
			drawWhole();
			drawMini();
		}, 60);
	}
	if (!picture)
		return;
	if (canvas.width !== width)
		canvas.width = width;
	const c = canvas.getContext("2d");
	const scale = width / d.total[0];
	const left = view.x0 * scale, right = view.x1 * scale;
	const tall = (d.first.length - 1) * view.row;
	const top = view.top - (view.icicle ? 0 : view.tall - tall);
	c.drawImage(picture, 0, 0, width, MINI);
	c.fillStyle = css(view.paper);
	c.globalAlpha = 0.6;
	c.fillRect(0, 0, left, MINI);
	c.fillRect(right, 0, width - right, MINI);
	c.globalAlpha = 1;
	c.strokeStyle = mini.frame;
	c.lineWidth = 2;
	const y = min(max(top / tall * MINI, 0), MINI - 4);
	c.strokeRect(left + 1, y + 1, max(right - left - 2, 2), max(min(
		view.height / tall * MINI, MINI - y) - 2, 2));
}

// All of the graph, small.
function drawWhole() {
	const kept = { ...view }, rows = d.first.length - 1;
	const row = max(round(MINI / rows), 1), width = ceil(view.width / 2);
	const canvas = mini.picture = element("canvas");
	const c = canvas.getContext("2d", { alpha: false });
	canvas.width = width;
	canvas.height = rows * row;
	Object.assign(view, { x0: 0, x1: d.total[0] || 1, focus: 0, row,
		tall: rows * row, top: 0 });
	paintRows(c, 1, [], []);
	Object.assign(view, kept);
}

function moveMini(e) {
	const x = e.offsetX / $("mini").clientWidth * d.total[0];
	const half = (view.x1 - view.x0) / 2;
	lookAt(x - half, x + half);
	$("main").scrollTop = e.offsetY / MINI * (d.first.length - 1) *
		view.row - view.height / 2;
}

// Pointers that are down on the graph.
export const fingers = new Map();

function pressed(e) {
	if (!e.button) {
		fingers.set(e.pointerId, e);
		view.dragged = false;
	}
}

function dragging(e) {
	const last = fingers.get(e.pointerId);
	if (!last)
		return;
	const dx = e.clientX - last.clientX;
	if (!view.dragged && abs(dx) < 5)
		return;
	view.dragged = true;
	leave();
	if (fingers.size === 1) {
		$("canvas").setPointerCapture(e.pointerId);
		if (view.x1 - view.x0 < d.total[0])
			pan(-dx);
	} else {
		const other = [...fingers.values()].find((f) =>
			f.pointerId !== e.pointerId).clientX;
		const left = rectOf("canvas").left;
		const apart = max(abs(e.clientX - other), 10);
		scale(max(abs(last.clientX - other), 10) / apart,
			other - left);
	}
	fingers.set(e.pointerId, e);
}

// A finger that stayed where it was for long asks for the menu.
function released(e) {
	const last = fingers.get(e.pointerId);
	fingers.delete(e.pointerId);
	if (view.dragged || !last || e.pointerType === "mouse" ||
	    e.timeStamp - last.timeStamp < 500)
		return;
	const i = hoverAt(e);
	view.dragged = true;
	if (i > 0)
		setTimeout(() => openMenu(e, d.name[i], i));
}

// The way to a frame and its siblings, as a tree that is only heard.
export function readOut(i) {
	let items = [], list;
	for (const at of [0, ...wayTo(i)].filter((k) => !isHidden(k))) {
		list = siblings(at);
		const from = max(list.indexOf(i) - 50, 0);
		items = items.concat((at === i ?
			list.slice(from, from + 100) : [at]).map((k) =>
			treeItem(k, list)));
	}
	$("canvas").replaceChildren(...items.slice(-200));
	$("canvas").setAttribute("aria-activedescendant", "item" + i);
	$("live").textContent = short(captionAt(i)[0], 200) + ", " +
		percent(d.total[i], all()) + " total, " +
		percent(d.self[i], all()) + " self, depth " +
		abs(d.deep.level[i] - d.deep.base) + ", child " +
		(list.indexOf(i) + 1) + " of " + list.length;
}

// Of those that are drawn: callers -1, callees 1.
export const kidsOn = (i, side) => runOf(i).flatMap((k) => kidsOf(k, (c) =>
	d.total[c] && !isHidden(c) && sideOf(d.level[c]) === side));
const siblings = (i) => i ? kidsOn(shownAs(d.parent[i]),
	sideOf(d.level[i])) : [0];

function treeItem(i, list) {
	const e = element("div", short(captionAt(i)[0], 200) + " " +
		percent(d.total[i], all()));
	e.id = "item" + i;
	e.role = "treeitem";
	if (d.end[i] > i + 1)
		e.ariaExpanded = true;
	return placed(e, i, list);
}

export function listenPointer() {
	on("canvas", "pointerdown", pressed);
	on("canvas", "pointermove", dragging);
	on("canvas", "pointerup", released);
	on("canvas", "pointercancel", () => fingers.clear());
	on("canvas", "wheel", (e) => {
		if (!e.ctrlKey && !e.metaKey)
			return;
		e.preventDefault();
		scale(e.deltaY > 0 ? 1.2 : 1 / 1.2, e.offsetX);
	}, { passive: false });
	on("mini", "pointerdown", (e) => {
		$("mini").setPointerCapture(e.pointerId);
		moveMini(e);
	});
	on("mini", "pointermove", (e) => e.buttons && moveMini(e));
}
