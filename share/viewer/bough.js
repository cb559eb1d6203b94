/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Callers and callees: trees of which only what can be seen is grown, the
 * rest when it is zoomed into.  A bough stands for nodes of the profile,
 * which are its places lo..hi in `from`, each with its own weights.
 */
let grown = null;

// The next ones of a bough's nodes into next[], w[]; how many.
const ways = {
	leaves({ g, next, w }) {
		let n = 0;
		for (let i = 1; i < g.n; i++) {
			if (!g.columns.some((c) => c.self[i]))
				continue;
			g.columns.forEach((c, k) => w[k][n] = c.self[i]);
			next[n++] = i;
		}
		return n;
	},
	callers({ g, next, w, mark }, { from, lo, hi }) {
		let n = 0;
		for (let k = lo; k < hi; k++) {
			const up = g.parent[from.at[k]];
			if (!up)
				continue;
			let m = mark[up];
			if (!m) {
				next[n] = up;
				m = mark[up] = ++n;
				for (const v of w)
					v[m - 1] = 0;
			}
			for (let c = 0; c < w.length; c++)
				w[c][m - 1] += from.w[c][k];
		}
		for (let k = 0; k < n; k++)
			mark[next[k]] = 0;
		return n;
	},
	callees({ g, next, w }, { from, lo, hi }) {
		let n = 0;
		for (let k = lo; k < hi; k++) {
			const i = from.at[k];
			for (let c = i + 1; c < g.end[i]; c = g.end[c]) {
				for (let v = 0; v < w.length; v++)
					w[v][n] = g.columns[v].total[c];
				next[n++] = c;
			}
		}
		return n;
	},
};

function sprout(b) {
	const { g, next, w, slot } = grown, n = ways[b.way](grown, b);
	const way = b.way === "callees" ? b.way : "callers", kids = [];
	for (let k = 0; k < n; k++) {
		const s = g.name[next[k]];
		if (!slot[s]) {
			slot[s] = kids.push({ name: s, up: b, level: b.level + 1,
				way, hi: 0, kids: null, total: w.map(() => 0),
				self: w.map(() => 0) });
		}
		kids[slot[s] - 1].hi++;
	}
	const from = { at: u32(n), w: w.map(() => f64(n)) };
	let lo = 0;
	for (const kid of kids) {
		kid.from = from;
		kid.lo = lo;
		lo += kid.hi;
		kid.hi = kid.lo;
	}
	for (let k = 0; k < n; k++) {
		const kid = kids[slot[g.name[next[k]]] - 1], at = kid.hi++;
		from.at[at] = next[k];
		for (let c = 0; c < w.length; c++) {
			const v = from.w[c][at] = w[c][k];
			kid.total[c] += v;
			// Its own samples, or those that begin there.
			kid.self[c] += way === "callees" ?
				g.columns[c].self[next[k]] :
				g.parent[next[k]] ? 0 : v;
		}
	}
	for (const kid of kids)
		slot[kid.name] = 0;
	const sum = (b) => view.heavy ? b.total.reduce((m, n) => m + n) : 0;
	b.kids = kids.sort((a, b) => sum(b) - sum(a) || a.name - b.name);
}

// As long as there is half a pixel.
function grow(b, least) {
	const todo = [b];
	let fresh = false;
	while (todo.length) {
		const x = todo.pop();
		if (!x.total.some((t, c) => t > least[c]))
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

// A side for each of some ways from nodes of g.
function startGrowing(g, at, name, starts) {
	const from = { at, w: g.columns.map(({ total }) =>
		Float64Array.from(at, (i) => total[i])) };
	const sum = (key) => g.columns.map((c) =>
		at.reduce((n, i) => n + c[key][i], 0));
	grown = { g, w: g.columns.map(() => f64(g.n)), next: u32(g.n),
		mark: u32(g.n), slot: u32(d.names.length),
		sides: starts.map((way) => ({ name, way, from, level: 0, lo: 0,
			hi: at.length, kids: null, self: sum("self"),
			total: sum("total") })) };
}

function growCallers(g) {
	startGrowing(g, [0], 0, ["leaves"]);
}

// Where a method calls itself its outermost call counts.
function growSandwich(g, method, group) {
	const at = [], hit = group ? hitsOf({ kind: "only", text: group }) :
		d.method.map((m) => m === method);
	const { n, name, end } = g;
	for (let i = 1; i < n; i++)
		if (hit[name[i]]) {
			at.push(i);
			i = end[i] - 1;
		}
	startGrowing(g, at, group ? 0 : name[at[0]] || method,
		["callees", "callers"]);
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
	const n = list.length, columns = grown.w.map(() =>
		({ self: f64(n), total: f64(n) }));
	const g = { n, base, split, columns, end: u32(n), name: u32(n),
		parent: u32(n), level: u32(n) };
	for (let i = 0; i < n; i++) {
		const { name, up, level, self, total } = list[i];
		g.name[i] = name;
		g.parent[i] = i && up.id;
		g.level[i] = split && i >= split ? base - level : base + level;
		for (let c = 0; c < columns.length; c++) {
			columns[c].self[i] = self[c];
			columns[c].total[i] = total[c];
		}
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
