/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The profile as a tree of rows.  The rows that are unfolded are a list of
 * nodes; only those in sight are in the document.
 */
import { abs, ceil, floor, max, min } from "./numbers.js";
import { d, view } from "./state.js";
import { u8 } from "./data.js";
import { truncate } from "./truncate.js";
import { $, all, on, turn, zoom } from "./view.js";
import { captionOf, colorOf, drawSoon, fillOf } from "./draw.js";
import { search } from "./search.js";
import { after, before, changeColumns, colorChange, diff, setColumn }
	from "./diff.js";
import { element, nameOf, percent, plain, setCurrent } from "./page.js";

export const ROW = 24, BRANCH = 14, CHAIN = 4, MANY = 20000;
export const tree = {
	open: false,	// it is what is seen
	rows: null,	// nodes, from top to bottom
	unfolded: null, indent: null,	// by node
	children: new Map(),	// sorted, of unfolded nodes
	at: 0,		// the selected node
	columns: [], sort: 0,
};

function weight(i) {
	return d.compares ? max(before("total", i), after("total", i)) :
		d.total[i];
}

// Columns: head, text, what they are sorted by, what change colours them; the
// second has a bar.
function treeColumns() {
	const self = (i) => d.self[i];
	return d.compares ? changeColumns() : [
		["Total", (i) => plain(d.total[i]), weight],
		["", (i) => percent(d.total[i], all()), weight],
		["Self", (i) => self(i) && plain(self(i)), self],
		["", (i) => self(i) && percent(self(i), all()), self],
	];
}

// The children of a node that pass a test.
export function kidsOf(i, test) {
	const list = [];
	for (let c = i + 1; c < d.end[i]; c = d.end[c])
		if (test(c))
			list.push(c);
	return list;
}

function childrenOf(i) {
	let list = tree.children.get(i);
	if (list)
		return list;
	list = kidsOf(i, weight);
	const by = tree.columns[tree.sort][2];
	list.sort((a, b) => by(b) - by(a) || weight(b) - weight(a) || a - b);
	tree.children.set(i, list);
	return list;
}

// Only where calls branch the indentation is a whole step.
function listRows() {
	const rows = [], stack = [0];
	while (stack.length) {
		const i = stack.pop();
		rows.push(i);
		if (!tree.unfolded[i])
			continue;
		const list = childrenOf(i);
		const more = list.length > 1 ? BRANCH : CHAIN;
		for (let k = list.length; k-- > 0;) {
			tree.indent[list[k]] = tree.indent[i] + more;
			stack.push(list[k]);
		}
	}
	tree.rows = rows;
}

// Unfolds a node, and on as long as there is but one way, or down to where no
// child has most of the weight.
function unfold(i, hot) {
	for (let list; (list = childrenOf(i)).length; i = list[0]) {
		tree.unfolded[i] = 1;
		if (hot ? weight(list[0]) < weight(i) * 0.7 : list[1])
			break;
	}
}

function unfoldAll(i, least) {
	for (let k = i; k < d.end[i]; k++)
		if (d.end[k] > k + 1 && weight(k) > least)
			tree.unfolded[k] = 1;
}

function toggle(i, all) {
	const { unfolded } = tree, end = d.end[i];
	const least = all && !unfolded[i] && end - i > MANY ?
		weight(i) / 1000 : 0;
	if (unfolded[i])
		unfolded.fill(0, i, all ? end : i + 1);
	else if (all)
		unfoldAll(i, least);
	else
		unfold(i);
	listRows();
	select(i);
	if (least)
		$("status").textContent =
			"Unfolded down to 0.1% of this subtree";
}

function select(i) {
	const rows = $("rows"), k = tree.rows.indexOf(i);
	const top = k * ROW, low = top + 2 * ROW - rows.clientHeight;
	tree.at = i;
	view.current = -1;
	setCurrent(i);
	rows.scrollTop = min(max(rows.scrollTop, low), top);
	drawTree();
}

// The tree with a node in sight: all around it is unfolded.
export function openTree(i) {
	const rows = $("rows");
	if (!tree.unfolded) {
		tree.unfolded = u8(d.n);
		tree.indent = new Float32Array(d.n);
		tree.columns = treeColumns();
		if (d.compares)
			tree.sort = 1;
		makeHead();
		unfold(0, true);
	}
	for (let p = i; p; p = d.parent[p])
		tree.unfolded[d.parent[p]] = 1;
	listRows();
	// As high as all rows, so that it scrolls.
	drawTree();
	const top = tree.rows.indexOf(i) * ROW;
	if (top < rows.scrollTop || top + 2 * ROW > rows.scrollTop +
	    rows.clientHeight)
		rows.scrollTop = top - rows.clientHeight / 3;
	select(i);
	if (!$("search").matches(":focus"))
		rows.focus({ preventScroll: true });
}

export function resort() {
	tree.children.clear();
	if (tree.unfolded)
		listRows();
}

// What the tree and the table have in common: a head, and of the rows those
// in sight, each by its number.
export function fillGrid(id, cells) {
	const head = element("div", "", ...cells), body = element("div");
	for (const cell of cells)
		cell.role = "columnheader";
	head.role = "row";
	body.role = "rowgroup";
	$(id).replaceChildren(head, body);
}

export function drawGrid(id, rows, make, at) {
	const grid = $(id), body = grid.lastChild;
	const first = max(floor(grid.scrollTop / ROW) - 4, 0);
	const last = first + ceil(grid.clientHeight / ROW) + 8;
	body.style.height = rows.length * ROW + "px";
	body.replaceChildren(...rows.slice(first, last).map((v, k) =>
		make(v, first + k)));
	grid.ariaRowCount = rows.length + 1;
	grid.setAttribute("aria-activedescendant", at);
}

export function gridRow(id, k, selected, cells) {
	const e = element("div", "", ...cells);
	for (const cell of cells)
		cell.role = "gridcell";
	e.id = id;
	e.style.top = k * ROW + "px";
	e.role = "row";
	e.ariaRowIndex = k + 2;
	e.ariaSelected = selected;
	return e;
}

// The number in a row's id; -1: there is none.
export function rowAt(e) {
	const row = e.target.closest("[aria-rowindex]");
	return row ? +row.id.replace(/\D+/, "") : -1;
}

function makeHead() {
	fillGrid("rows", [...tree.columns, ["Function"]].map(([text, , by], k) => {
		const cell = element("span", text);
		if (!by)
			return cell;
		cell.ariaSort = k === tree.sort ? "descending" : "none";
		if (text)
			on(cell, "click", () => {
				tree.sort = k;
				makeHead();
				resort();
				select(tree.at);
			});
		return cell;
	}));
	$("rows").classList.toggle("wide", !!d.compares);
}

// A text without parts, as a thread's name: both ends stay.
export function bothEnds(c, text, width) {
	const fits = truncate(c, [text, 0, 0], width);
	if (!fits.endsWith("…"))
		return fits;
	const turned = (s) => [...s].reverse().join("");
	return truncate(c, [text, 0, 0], width * 0.45) + turned(truncate(c,
		[turned(text), 0, 0], width * 0.55)).slice(1);
}

// A caption for a cell of rows, as frames have it: the package goes first.
export function fitted(id, c, used = 0) {
	const name = $(id).querySelector("[role=row] > :last-child");
	const width = name.clientWidth - used - 2, [text, , method] = c;
	view.ctx.font = "12px " + view.family;
	return method ? truncate(view.ctx, c, width) || text.slice(method) :
		bothEnds(view.ctx, text, width);
}

// Where a node stands, for a screen reader.
export function placed(e, i, list) {
	e.ariaLevel = abs(d.deep.level[i] - d.deep.base) + 1;
	e.ariaPosInSet = list.indexOf(i) + 1;
	e.ariaSetSize = list.length;
	return e;
}

function rowOf(i, k) {
	const list = i ? childrenOf(d.parent[i]) : [0];
	const indent = min(tree.indent[i], 600);
	const c = captionOf(d.name[i]);
	const text = fitted("rows", c, indent + 35);
	const at = max(c[1] + text.length - c[0].length, 0);
	const cells = tree.columns.map(([, value, , key]) => {
		const cell = element("span", value(i));
		if (key)
			colorChange(cell, key, i);
		return cell;
	});
	const name = element("span", "", element("s"), element("u"),
		element("i", text.slice(0, at)), text.slice(at));
	name.title = nameOf(i, 1000);
	name.style.paddingLeft = indent + "px";
	name.children[1].style.background = fillOf(colorOf(i));
	if (search.hit && search.hit[d.name[i]])
		name.className = "marked";
	const bar = element("b"), by = tree.columns[1][2];
	bar.style.width = 100 * by(i) / (by(0) || 1) + "%";
	cells[1].append(bar);
	const e = placed(gridRow("row" + i, k, i === tree.at,
		[...cells, name]), i, list);
	if (childrenOf(i).length)
		e.ariaExpanded = !!tree.unfolded[i];
	return e;
}

export function drawTree() {
	if (tree.rows && $("rows").clientHeight)
		drawGrid("rows", tree.rows, rowOf, "row" + tree.at);
}

function move(by) {
	const k = tree.rows.indexOf(tree.at) + by;
	select(tree.rows[min(max(k, 0), tree.rows.length - 1)]);
}

const page = (by) => move(by *
	max(floor($("rows").clientHeight / ROW) - 2, 1));

function inGraph(i) {
	if (d.compares && !d.total[i])
		setColumn(1 - diff.column);
	turn(view.icicle ? "icicle" : "flame");
	zoom(i);
}

export const treeKeys = {
	ArrowUp: () => move(-1),
	ArrowDown: () => move(1),
	PageUp: () => page(-1),
	PageDown: () => page(1),
	Home: () => move(-d.n),
	End: () => move(d.n),
	ArrowRight() {
		if (tree.unfolded[tree.at])
			move(1);
		else
			toggle(tree.at);
	},
	ArrowLeft() {
		if (tree.unfolded[tree.at])
			toggle(tree.at);
		else
			select(d.parent[tree.at]);
	},
	" ": () => toggle(tree.at),
	"*"() {
		tree.unfolded[tree.at] = 0;
		toggle(tree.at, true);
	},
	0() {
		tree.unfolded.fill(0);
		unfold(0, true);
		openTree(0);
	},
	Enter: () => inGraph(tree.at),
};

export function listenTree() {
	on("rows", "scroll", drawSoon);
	on("rows", "click", (e) => {
		const i = rowAt(e);
		if (i >= 0)
			toggle(i, e.altKey);
	});
	on("rows", "dblclick", (e) => {
		const i = rowAt(e);
		if (i >= 0)
			inGraph(i);
	});
}
