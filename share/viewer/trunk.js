/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs of calls that only lead on: three frames or more, each of which passes
 * all but a twentieth of the first one's weight to one child.  Until it is
 * opened a run is drawn as one row, its first frame's, and what else its frames
 * call stands on that row.  Nodes and sums stay what they are.
 */
import { max } from "./numbers.js";
import { d, view } from "./state.js";
import { levels, u32, u8 } from "./data.js";
import { home, lowest, measure, remember, rowsOf, scrollTo } from "./view.js";
import { captionOf, drawSoon } from "./draw.js";
import { countBefore } from "./search.js";
import { key } from "./legend.js";
import { leave, stored } from "./page.js";

const LEAST_RUN = 3, LEADS_ON = 0.95, WIDE_RUN = 0.05;
export const trunk = {
	folded: true,
	opened: new Set(),
	runs: new Map(),	// by first node: the nodes
	first: new Map(),	// by any other node of them
};

export const isHidden = (i) => trunk.first.has(i);
export const shownAs = (i) => trunk.first.get(i) ?? i;
export const runOf = (i) => trunk.runs.get(i) || [i];
// Callers change their numbers as more of them are expanded.
const runKey = (i) => view.expanded ? view.expanded.subtrees[i] : i;

function wideKids(i) {
	const { end, columns: [{ total: a }, { total: b } = {}] } = d, list = [];
	const least = max(a[0] * WIDE_RUN, 1), more = b && max(b[0] * WIDE_RUN, 1);
	for (let c = i + 1; c < end[i]; c = end[c])
		if (a[c] >= least || (b && b[c] >= more))
			list.push(c);
	return list;
}

// The child that a frame passes nearly all of a weight to; nothing: none.
const leadsTo = (i, first) => wideKids(i).find((c) => d.columns.every(
	({ total }) => total[c] >= total[first] * LEADS_ON));

function findRuns() {
	const todo = wideKids(0);
	for (let first; (first = todo.pop());) {
		const run = [];
		let next = first;
		for (let c; (c = leadsTo(next, first)); next = c)
			run.push(next);
		const long = run.length >= LEAST_RUN;
		if (long && !trunk.opened.has(runKey(first)))
			trunk.runs.set(first, run);
		for (const i of long ? run : [first])
			todo.push(...wideKids(i).filter((c) =>
				!long || !run.includes(c)));
	}
}

// Rows of all nodes, from those without folding.
export function foldRuns() {
	const { n, parent, split, deep } = d;
	trunk.runs.clear();
	trunk.first.clear();
	Object.assign(d, deep);
	if (trunk.folded)
		findRuns();
	for (const [first, run] of trunk.runs)
		run.slice(1).forEach((i) => trunk.first.set(i, first));
	if (!trunk.first.size)
		return;
	const step = u8(n).fill(1), level = u32(n);
	let base = 0;
	for (const i of trunk.first.keys())
		step[i] = 0;
	for (let i = 1; i < n; i++) {
		level[i] = level[parent[i]] + step[i];
		if (split && i >= split)
			base = max(base, level[i]);
	}
	for (let i = 0; base && i < n; i++)
		level[i] = i >= split ? base - level[i] : base + level[i];
	d.level = level;
	d.base = base;
}

// A run is a match where one of its frames is.
export function nameRuns(hit) {
	const { first, level, node, named, name } = d;
	for (const [i, run] of trunk.runs) {
		const k = lowest(first[level[i]], first[level[i] + 1], (k) =>
			node[k] >= i);
		if (node[k] === i)
			named[k] = name[hit && run.find((i) => hit[name[i]]) ||
				i];
	}
}

// "a.B.run … c.D.call +11", and shorter.
export function captionAt(i) {
	const run = trunk.runs.get(i);
	if (!run)
		return captionOf(d.name[i]);
	const ends = [i, run.at(-1)].map((k) => captionOf(d.name[k]));
	const forms = [0, 1, 2].map((k) => ends.map((c) => c[0].slice(k &&
		c[k])).join(" … ") + " +" + (run.length - 2));
	return run.caption ||= Object.assign([forms[0], 0, 0], { forms });
}

export function refold() {
	const { base } = d;
	foldRuns();
	levels(d);
	countBefore();
	view.focus = shownAs(view.focus);
	view.rows = rowsOf(view.focus);
	leave();
	measure();
	scrollTo(view.top + (d.base - base) * view.row);
	key.of = null;
	drawSoon();
}

export function openRun(i) {
	trunk.opened.add(runKey(i));
	refold();
}

// Folds opened runs again; if none is open, folds or unfolds all.  Stored.
export function flipTrunk() {
	trunk.folded = trunk.opened.size > 0 || !trunk.folded;
	trunk.opened.clear();
	stored("flame-trunk", trunk.folded ? "folded" : "open");
	refold();
	home();
	remember();
}

export function startTrunk(link) {
	const kept = link || stored("flame-trunk");
	trunk.folded = kept ? kept !== "open" : d.folds;
}
