/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The profile rewritten: frames are removed, merged or made the root, each
 * way as the filter of that name has it.  A step is { kind, text }.
 */
import { ceil } from "./numbers.js";
import { d } from "./state.js";
import { ends, f64, totals, u32, u8 } from "./data.js";
import { groupTab, matcher } from "./search.js";
import { choose } from "./time.js";

const OUT = -1;

/*
 * Where a node of symbol s goes whose parent went to `up`: put() makes it a
 * child, `up` merges it, OUT removes it.  `hit` has a value for each symbol.
 */
export const rules = {
	focus: (hit, put) => (s, up) => up >= 0 ? put(s, up) :
		hit[s] ? put(s, 0) : OUT,
	hide: (hit, put) => (s, up) => hit[s] ? up : put(s, up),
	drop: (hit, put) => (s, up) => up < 0 || hit[s] ? OUT : put(s, up),
	cut: (hit, put, name) => (s, up) => hit[name[up]] ? up : put(s, up),
	recursion: (hit, put, name) => (s, up) =>
		d.method[name[up]] === d.method[s] ? up : put(s, up),
	only: (hit, put, name, need) => (s, up, i) =>
		need[i] ? put(s, up) : OUT,
};
export const ruleNames = {
	focus: "Focus", hide: "Hidden", drop: "Without", cut: "Folded",
	recursion: "Recursion folded", only: "Only",
	t: "Time", u: "After", f: "",
};

export function hitsOf({ kind, text }) {
	return passed(kind === "only" || groupTab(text) ? matcher(text) :
		(s) => s === text);
}

// By symbol: 1 where a test of its name holds.
export function passed(test) {
	const hit = u8(d.names.length);
	for (let i = 1; i < hit.length; i++)
		hit[i] = test(d.names[i], i) ? 1 : 0;
	return hit;
}

// Within a match: 2; only on the way to one: 1.
function needs(g, hit) {
	const need = u8(g.n);
	for (let i = 1; i < g.n; i++)
		if (hit[g.name[i]] || need[g.parent[i]])
			need[i] = 2;
	for (let i = g.n; i-- > 1;)
		if (need[i])
			need[g.parent[i]] |= 1;
	return need;
}

function rewrite(g, step) {
	const { n, parent } = g, to = new Int32Array(n);
	const name = u32(n), up = u32(n);
	const mask = 2 ** ceil(Math.log2(2 * n + 2)) - 1;
	const table = u32(mask + 1);
	let made = 1;

	const put = (s, above) => {
		let k = Math.imul(above, 0x9e3779b1) ^ Math.imul(s, 0x85ebca6b);
		for (k = (k ^ k >>> 15) & mask; table[k]; k = k + 1 & mask)
			if (up[table[k]] === above && name[table[k]] === s)
				return table[k];
		name[made] = s;
		up[made] = above;
		return table[k] = made++;
	};
	const hit = hitsOf(step);
	const need = step.kind === "only" ? needs(g, hit) : null;
	const rule = rules[step.kind](hit, put, name, need);
	to[0] = step.kind === "focus" ? OUT : 0;
	for (let i = 1; i < n; i++)
		to[i] = rule(g.name[i], to[parent[i]], i);
	const stays = (i) => to[i] >= 0 && (!need || need[i] & 2);
	const [nodes, places] = preorder(made, name, up, g.columns.map(
		({ self }) => {
			const sums = f64(n);
			for (let i = 0; i < n; i++)
				if (stays(i))
					sums[to[i]] += self[i];
			return sums;
		}));
	return comesFrom(nodes, g, to.map((k, i) => stays(i) ? places[k] : -1));
}

// Where each node of an older tree is now, for samples: see flame_chart.js.
function comesFrom(g, of, to) {
	if (d.moments)
		g.origin = { of, to };
	return g;
}

// Nodes list[from..to] by ascending weight: of a few each goes to its place.
function lighterFirst(weight, list, from, to) {
	if (to - from > 32)
		list.subarray(from, to).sort((a, b) =>
			weight[a] - weight[b] || b - a);
	for (let k = from + 1; to - from < 33 && k < to; k++) {
		const i = list[k], w = weight[i];
		let at = k;
		for (; at > from && weight[list[at - 1]] >= w; at--)
			list[at] = list[at - 1];
		list[at] = i;
	}
}

// Heaviest of its siblings first.
export function ordered(g, heavy) {
	const { n, name, end, columns: [a, b] } = g, stack = u32(n + 1);
	const ranked = u32(n), to = u32(n);
	const weight = !heavy ? f64(n).map((v, i) => -name[i]) :
		b ? f64(n).map((v, i) => a.total[i] + b.total[i]) : a.total;
	for (let k = 0, top = 1; k < n; k++) {
		const i = ranked[k] = stack[--top], from = top;
		to[i] = k;
		for (let c = i + 1; c < end[i]; c = end[c])
			stack[top++] = c;
		lighterFirst(weight, stack, from, top);
	}
	const taken = (of) => of.map((v, k) => of[ranked[k]]);
	return comesFrom({ ...g, name: taken(g.name), level: taken(g.level),
		parent: taken(g.parent).map((i) => to[i]),
		end: taken(end).map((i, k) => i - ranked[k] + k),
		columns: g.columns.map(({ self, total }) =>
			({ self: taken(self), total: taken(total) })) }, g,
	Int32Array.from(to));
}

// Nodes whose parents come first, in preorder, siblings by symbol; and where
// each node is then.
function preorder(n, name, parent, selfs) {
	const first = u32(n), next = u32(n), order = u32(n), to = u32(n);
	const at = u32(d.names.length + 1);
	for (let i = 0; i < n; i++)
		at[name[i] + 1]++;
	for (let s = 0; s < d.names.length; s++)
		at[s + 1] += at[s];
	for (let i = 0; i < n; i++)
		order[at[name[i]]++] = i;
	for (let k = n; k-- > 1;) {
		next[order[k]] = first[parent[order[k]]];
		first[parent[order[k]]] = order[k];
	}
	const g = { n, name: u32(n), parent: u32(n), level: u32(n),
		end: u32(n), base: 0, split: 0 };
	for (let i = 0, k = 0;; k++) {
		const up = g.parent[k] = to[parent[i]];
		to[i] = k;
		g.name[k] = name[i];
		g.level[k] = k ? g.level[up] + 1 : 0;
		if (first[i]) {
			i = first[i];
			continue;
		}
		while (i && !next[i])
			i = parent[i];
		if (!i)
			break;
		i = next[i];
	}
	ends(g);
	g.columns = selfs.map((from) => {
		const self = f64(n);
		for (let i = 0; i < n; i++)
			self[to[i]] = from[i];
		return { self, total: totals(self, g.parent) };
	});
	return [g, to];
}

// What of d its nodes are.
export function nodesOf({ n, name, parent, level, end, columns }) {
	return { n, name, parent, level, end, columns, base: 0, split: 0 };
}

export function rewritten(g, steps) {
	return steps.filter((s) => rules[s.kind])
		.reduce(rewrite, choose(g, steps));
}
