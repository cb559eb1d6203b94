/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Callers and callees: trees of which only what can be seen is grown, the
 * rest when it is zoomed into.  A bough stands for nodes of the profile,
 * which are places lo..hi of grown.at; as callers they have weights of their
 * own there.  A loop is a function: browsers make these fast one by one.
 */
let grown = null;

// The next ones of nodes lo..hi.
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

// Their symbols; by symbol, how many have it.
function tally(nodes, name, slot) {
	const symbols = [];
	for (let k = 0; k < nodes.length; k++)
		if (!slot[name[nodes[k]]]++)
			symbols.push(name[nodes[k]]);
	return symbols[1] ? u32(symbols).sort() : symbols;
}

// Each to the next place of its symbol; nodes[] are then these places.
function spread(nodes, name, slot, at) {
	for (let k = 0; k < nodes.length; k++) {
		const to = slot[name[nodes[k]]]++;
		at[to] = nodes[k];
		nodes[k] = to;
	}
}

function follow(places, w, lo) {
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

// Of what begins there.
function sumFirst(w, at, parent, lo, hi) {
	let sum = 0;
	for (let k = lo; k < hi; k++)
		if (!parent[at[k]])
			sum += w[k];
	return sum;
}

function makeRoom(n) {
	const longer = (old) => {
		const a = new old.constructor(2 * n);
		a.set(old);
		return a;
	};
	if (n > grown.at.length) {
		grown.at = longer(grown.at);
		grown.w = grown.w.map(longer);
	}
}

function sprout(b) {
	const { g, slot, top } = grown, { way } = b, callees = way === calleesOf;
	const next = way(grown, b.lo, b.hi);
	const symbols = tally(next, g.name, slot);
	makeRoom(top + next.length);
	const { at, w } = grown;
	b.kids = [];
	for (const s of symbols) {
		const lo = grown.top, hi = grown.top += slot[s];
		slot[s] = lo;
		// Nothing calls what is nothing's callee.
		if (s)
			b.kids.push({ name: s, up: b, level: b.level + 1, id: 0,
				way: callees ? way : callersOf, lo, hi,
				kids: null, total: [], self: [] });
	}
	spread(next, g.name, slot, at);
	for (const s of symbols)
		slot[s] = 0;
	if (!callees)
		w.forEach((v) => follow(next, v, b.lo));
	for (const { lo, hi, total, self } of b.kids)
		for (let c = 0; c < w.length; c++) {
			const column = g.columns[c];
			total.push(callees ? sumAt(column.total, at, lo, hi) :
				sumOf(w[c], lo, hi));
			self.push(callees ? sumAt(column.self, at, lo, hi) :
				sumFirst(w[c], at, g.parent, lo, hi));
		}
	const sum = (b) => b.total.reduce((m, n) => m + n);
	if (view.heavy)
		b.kids.sort((a, b) => sum(b) - sum(a) || a.name - b.name);
}

// As long as there is half a pixel.
function grow(b, least) {
	const todo = [b];
	let fresh = false;
	while (todo.length) {
		const x = todo.pop();
		if (!(x.total[0] > least[0] || x.total[1] > least[1]))
			continue;
		if (!x.kids) {
			sprout(x);
			fresh = true;
		}
		for (const kid of x.kids)
			todo.push(kid);
	}
	return fresh;
}

const leastOf = (b) => b.total.map((t) => t / 2 / max(view.width, 600));

function weightsAt(of, at) {
	const w = f64(at.length);
	for (let k = 0; k < at.length; k++)
		w[k] = of[at[k]];
	return w;
}

// A side for each of some ways from nodes of g, as heavy as they are by a key;
// each begins with the sums of some.
function startGrowing(g, at, key, some, name, ways) {
	const sum = (key) => g.columns.map((c) =>
		some.reduce((n, i) => n + c[key][i], 0));
	grown = { g, at: u32(at), top: at.length, slot: u32(d.names.length),
		w: g.columns.map((c) => weightsAt(c[key], at)),
		sides: ways.map((way) => ({ name, up: null, level: 0, id: 0,
			way, lo: 0, hi: at.length, kids: null,
			total: sum("total"), self: sum("self") })) };
}

function leavesOf({ n, columns }) {
	const list = [], [a, b] = columns.map((c) => c.self);
	for (let i = 1; i < n; i++)
		if (a[i] || (b && b[i]))
			list.push(i);
	return list;
}

// Where a method calls itself its outermost call counts.
function outermost({ n, name, end }, hit) {
	const list = [];
	for (let i = 1; i < n; i++)
		if (hit[name[i]]) {
			list.push(i);
			i = end[i] - 1;
		}
	return list;
}

function growCallers(g) {
	startGrowing(g, leavesOf(g), "self", [0], 0, [itself]);
}

function growSandwich(g, method, group) {
	const at = outermost(g, group ? hitsOf({ kind: "only", text: group }) :
		passed((name, s) => d.method[s] === method));
	startGrowing(g, at, "total", at, group ? 0 : g.name[at[0]] || method,
		[calleesOf, callersOf]);
}

// What has grown, as nodes: callees, then callers.
function growth() {
	const list = [];
	let split = 0, base = 0;
	for (const side of grown.sides) {
		const todo = [side];
		split = list.length;
		for (let b; (b = todo.pop());) {
			// Both sides are the root.
			b.id = b === side ? 0 : list.length;
			list[b.id] = b;
			if (split)
				base = max(base, b.level);
			for (let k = b.kids ? b.kids.length : 0; k--;)
				todo.push(b.kids[k]);
		}
	}
	const n = list.length, g = { n, base, split, end: u32(n),
		name: u32(n), parent: u32(n), level: u32(n) };
	g.columns = grown.g.columns.map((column, c) => {
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
	grown.boughs = list;
	return g;
}

function growAll() {
	const least = leastOf(grown.sides[0]);
	for (const side of grown.sides)
		grow(side, least);
	return growth();
}

// Before a zoom: more of that frame; its new number.
function deepen(i) {
	if (!grown || !i)
		return i;
	const b = grown.boughs[i];
	if (grow(b, leastOf(b)))
		adopt(growth());
	return b.id;
}
