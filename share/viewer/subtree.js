/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Callers and callees: trees that are expanded lazily.  Only subtrees wide
 * enough to be seen are expanded; the others when they are zoomed.
 *
 * A subtree stands for a group of the profile's nodes, which are the entries
 * lo..hi of expanded.at.  In callers these entries have weights of their
 * own, in expanded.w.  Each loop is a function of its own, because
 * browsers optimise whole functions.
 */
import { max } from "./numbers.js";
import { d, view } from "./state.js";
import { ends, f64, u32 } from "./data.js";
import { hitsOf, passed } from "./rewrite.js";
import { adopt } from "./view.js";

// A subtree's way: from its entries to the nodes of its children.
const itself = ({ at }, lo, hi) => at.slice(lo, hi);

function callersOf({ at, g: { parent } }, lo, hi) {
	const next = at.slice(lo, hi);
	for (let k = 0; k < next.length; k++)
		next[k] = parent[next[k]];
	return next;
}

function calleesOf({ at, g: { end } }, lo, hi) {
	const next = [];
	for (let k = lo; k < hi; k++)
		for (let c = at[k] + 1; c < end[at[k]]; c = end[c])
			next.push(c);
	return next;
}

// The symbols of nodes; slot[] counts the nodes of each symbol.
function countSymbols(nodes, name, slot) {
	const symbols = [];
	for (let k = 0; k < nodes.length; k++)
		if (!slot[name[nodes[k]]]++)
			symbols.push(name[nodes[k]]);
	return symbols[1] ? u32(symbols).sort() : symbols;
}

// Moves each node to the next free entry of its symbol; nodes[] become the
// numbers of these entries.
function groupBySymbol(nodes, name, slot, at) {
	for (let k = 0; k < nodes.length; k++) {
		const to = slot[name[nodes[k]]]++;
		at[to] = nodes[k];
		nodes[k] = to;
	}
}

function copyWeights(places, w, lo) {
	for (let k = 0; k < places.length; k++)
		w[places[k]] = w[lo + k];
}

function sumAt(of, at, lo, hi) {
	let sum = 0;
	for (let k = lo; k < hi; k++)
		sum += of[at[k]];
	return sum;
}

function sumOf(w, lo, hi) {
	let sum = 0;
	for (let k = lo; k < hi; k++)
		sum += w[k];
	return sum;
}

// Only of entries whose node is a root frame.
function sumFirst(w, at, parent, lo, hi) {
	let sum = 0;
	for (let k = lo; k < hi; k++)
		if (!parent[at[k]])
			sum += w[k];
	return sum;
}

function reserve(n) {
	const longer = (old) => {
		const a = new old.constructor(2 * n);
		a.set(old);
		return a;
	};
	if (n > view.expanded.at.length) {
		view.expanded.at = longer(view.expanded.at);
		view.expanded.w = view.expanded.w.map(longer);
	}
}

function addChildren(b) {
	const { g, slot, top } = view.expanded, { way } = b;
	const callees = way === calleesOf;
	const next = way(view.expanded, b.lo, b.hi);
	const symbols = countSymbols(next, g.name, slot);
	reserve(top + next.length);
	const { at, w } = view.expanded;
	b.children = [];
	for (const s of symbols) {
		const lo = view.expanded.top, hi = view.expanded.top += slot[s];
		slot[s] = lo;
		// Symbol 0 is the root, which nothing calls.
		if (s)
			b.children.push({ name: s, up: b, level: b.level + 1,
				id: 0, way: callees ? way : callersOf, lo, hi,
				children: null, total: [], self: [] });
	}
	groupBySymbol(next, g.name, slot, at);
	for (const s of symbols)
		slot[s] = 0;
	if (!callees)
		w.forEach((v) => copyWeights(next, v, b.lo));
	for (const { lo, hi, total, self } of b.children)
		for (let c = 0; c < w.length; c++) {
			const column = g.columns[c];
			total.push(callees ? sumAt(column.total, at, lo, hi) :
				sumOf(w[c], lo, hi));
			self.push(callees ? sumAt(column.self, at, lo, hi) :
				sumFirst(w[c], at, g.parent, lo, hi));
		}
	for (const child of b.children)
		child.sum = child.total.reduce((m, n) => m + n);
	if (view.heavy)
		b.children.sort((a, b) => b.sum - a.sum || a.name - b.name);
}

// Expands all subtrees that are wider than half a pixel.
function expand(b, least) {
	const todo = [b];
	let fresh = false;
	while (todo.length) {
		const x = todo.pop();
		if (!(x.total[0] > least[0] || x.total[1] > least[1]))
			continue;
		if (!x.children) {
			addChildren(x);
			fresh = true;
		}
		for (const child of x.children)
			todo.push(child);
	}
	return fresh;
}

const minWeights = (b) => b.total.map((t) => t / 2 / max(view.width, 600));

function weightsAt(of, at) {
	const w = f64(at.length);
	for (let k = 0; k < at.length; k++)
		w[k] = of[at[k]];
	return w;
}

// Starts from nodes of g, weighted by a key.  There is a side for each of some
// ways; its root has the sums of the nodes in `some`.
function startExpanding(g, at, key, some, name, ways) {
	const sum = (key) => g.columns.map((c) =>
		some.reduce((n, i) => n + c[key][i], 0));
	view.expanded = { g, at: u32(at), top: at.length,
		slot: u32(d.names.length),
		w: g.columns.map((c) => weightsAt(c[key], at)),
		sides: ways.map((way) => ({ name, up: null, level: 0, id: 0,
			way, lo: 0, hi: at.length, children: null,
			total: sum("total"), self: sum("self") })) };
}

function leavesOf({ n, columns }) {
	const list = [], [a, b] = columns.map((c) => c.self);
	for (let i = 1; i < n; i++)
		if (a[i] || (b && b[i]))
			list.push(i);
	return list;
}

// Of recursive calls only the outermost one.
function outermost({ n, name, end }, hit) {
	const list = [];
	for (let i = 1; i < n; i++)
		if (hit[name[i]]) {
			list.push(i);
			i = end[i] - 1;
		}
	return list;
}

export function expandCallers(g) {
	startExpanding(g, leavesOf(g), "self", [0], 0, [itself]);
}

export function expandSandwich(g, method, group) {
	const at = outermost(g, group ? hitsOf({ kind: "only", text: group }) :
		passed((name, s) => d.method[s] === method));
	startExpanding(g, at, "total", at, group ? 0 : g.name[at[0]] || method,
		[calleesOf, callersOf]);
}

// The expanded subtrees as nodes: callees first, then callers.
function expandedNodes() {
	const list = [];
	let split = 0, base = 0;
	for (const side of view.expanded.sides) {
		const todo = [side];
		split = list.length;
		for (let b; (b = todo.pop());) {
			// The roots of both sides are node 0.
			b.id = b === side ? 0 : list.length;
			list[b.id] = b;
			if (split)
				base = max(base, b.level);
			for (let k = b.children ? b.children.length : 0; k--;)
				todo.push(b.children[k]);
		}
	}
	const n = list.length, g = { n, base, split, end: u32(n),
		name: u32(n), parent: u32(n), level: u32(n) };
	g.columns = view.expanded.g.columns.map((column, c) => {
		const self = new column.self.constructor(n);
		const total = self.slice();
		for (let i = 0; i < n; i++) {
			self[i] = list[i].self[c];
			total[i] = list[i].total[c];
		}
		return { self, total };
	});
	for (let i = 0; i < n; i++) {
		const { name, up, level } = list[i];
		g.name[i] = name;
		g.parent[i] = i && up.id;
		g.level[i] = split && i >= split ? base - level : base + level;
	}
	ends(g);
	view.expanded.subtrees = list;
	return g;
}

export function expandVisible() {
	const least = minWeights(view.expanded.sides[0]);
	for (const side of view.expanded.sides)
		expand(side, least);
	return expandedNodes();
}

// Expands a frame before it is zoomed; returns its new number.
export function expandAt(i) {
	if (!view.expanded || !i)
		return i;
	const b = view.expanded.subtrees[i];
	if (expand(b, minWeights(b)))
		adopt(expandedNodes());
	return b.id;
}
